// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LifetraceProcessWorld

/// Functions of an app, by the symbols of its program.
@Suite struct SymbolNameTests {
  @Test(arguments: [
    // A function that takes and gives back others' values by a function.
    ("$s5notes6LockedC4withyqd__qd__xzXElF", "notes.Locked.with<A>((inout A) -> A1)"),
    ("no_swift", "no_swift"),
  ])
  func whatItGivesBackIsNotNamed(symbol: String, text: String) {
    #expect(ProgramSymbols.Function(symbol: symbol).text == text)
  }
}
