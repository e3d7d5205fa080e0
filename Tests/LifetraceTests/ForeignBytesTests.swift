// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceTrace
import Support
import Testing

/// What other programs write into the file of an object between two looks of this one.
@Suite struct ForeignBytesTests {
  /// How much of others the last save has replaced; nil where it says nothing.
  private func foreign(_ simulation: Simulation) -> UInt64? {
    let flush = simulation.events.last { EventKind(rawValue: $0.kind) == .dataFlushing }
    return flush.flatMap { $0.arg_count > 3 ? $0.arg.3 : nil }
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
  }

  @Test(arguments: [false, true])
  func aSaveSaysWhatItReplacesUnread(isReadAgain: Bool) throws {
    let directory = try TestFolder()
    let path = directory.file("sketch")
    let sketch = Lifetrace.Object("sketch")
    let simulation = Simulation()
    try simulation.run {
      try Lifetrace.save(sketch, to: path) { "one".utf8 }
      #expect(foreign(simulation) == nil)
      try write("one and another", to: path)
      if isReadAgain { _ = try Lifetrace.restore(sketch, from: path) }
      sketch.dirty { "two".utf8 }
      try Lifetrace.save(sketch, to: path) { "two".utf8 }
    }
    #expect(foreign(simulation) == (isReadAgain ? nil : 15))
  }

  @Test func theSameBytesAreNobodysLoss() throws {
    let directory = try TestFolder()
    let path = directory.file("sketch")
    let sketch = Lifetrace.Object("sketch")
    let simulation = Simulation()
    try simulation.run {
      try Lifetrace.save(sketch, to: path) { "one".utf8 }
      try write("one", to: path)
      sketch.dirty { "two".utf8 }
      try Lifetrace.save(sketch, to: path) { "two".utf8 }
      #expect(foreign(simulation) == nil, "what was put there was known")
      try write("three", to: path)
      sketch.dirty { "three".utf8 }
      try Lifetrace.save(sketch, to: path) { "three".utf8 }
      #expect(foreign(simulation) == nil, "it stays there")
    }
  }

  /// An app that writes the file by its own means as well has read what it wrote.
  @Test func whatTheAppReportsItselfIsItsOwn() throws {
    let directory = try TestFolder()
    let path = directory.file("sketch")
    let sketch = Lifetrace.Object("sketch")
    let simulation = Simulation()
    try simulation.run {
      try Lifetrace.save(sketch, to: path) { "one".utf8 }
      let version = sketch.dirty { "two".utf8 }
      try write("two", to: path)
      sketch.durable(version: version, level: .kernel, bytes: 3)
      sketch.dirty { "three".utf8 }
      try Lifetrace.save(sketch, to: path) { "three".utf8 }
    }
    #expect(foreign(simulation) == nil)
  }
}
