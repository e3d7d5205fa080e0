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

/// Files of inputs.
enum InputFile {
  static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Fuzz.inputBytesMax)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
