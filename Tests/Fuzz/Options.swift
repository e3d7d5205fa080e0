// SPDX-License-Identifier: Apache-2.0
import Fuzzing
import Glibc

/// The words of the command line.
struct Options {
  var count = 1_000_000
  var target: Fuzz.Target?
  var seed: UInt64 = 1
  var first = 0
  var input: String?

  init(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let word = rest.popFirst() {
      switch word {
      case "--target": target = rest.popFirst().flatMap(Fuzz.Target.init)
      case "--seed": seed = rest.popFirst().flatMap { UInt64($0) } ?? seed
      case "--first": first = rest.popFirst().flatMap { Int($0) } ?? first
      case "--input": input = rest.popFirst()
      default:
        guard let number = Int(word) else {
          print("usage: fuzz [COUNT] [--target NAME] [--seed N] [--first INDEX] [--input FILE]")
          exit(64)
        }
        count = number
      }
    }
  }
}
