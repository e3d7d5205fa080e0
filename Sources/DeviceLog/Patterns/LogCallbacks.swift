// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// Finds the names of delegate methods and of their notifications anywhere in a block of a log.
///
/// Apps and frameworks print them in the middle of lines of any shape. So the block
/// is searched for each name as a whole, and a line costs one comparison.
struct LogCallbacks {
  private static let names: [(words: StaticString, pattern: LogPattern)] = [
    ("idEnterBackground", .enterBackground),
    ("illEnterForeground", .enterForeground),
    ("idBecomeActive", .becomeActive),
    ("illResignActive", .resignActive),
    ("illTerminate", .terminate),
    ("idFinishLaunching", .finishLaunching),
  ]

  private let block: LogText
  private var next: [Int]
  private(set) var nearest: Int

  init(_ block: LogText) {
    self.block = block
    next = Self.names.map { block.find($0.words) ?? .max }
    nearest = next.min() ?? .max
  }

  /// The callback that the line from `start` to `end` of the block names, if it is a report.
  mutating func callback(from start: Int, to end: Int) -> LogPattern? {
    var found: LogPattern?
    for index in next.indices {
      while next[index] < start { advance(index, from: start) }
      guard next[index] < end else { continue }
      let (words, pattern) = Self.names[index]
      let rest = next[index] + words.utf8CodeUnitCount
      if found == nil, isTold(at: next[index], in: start..<end), endsThere(rest, in: start..<end) {
        found = pattern
      }
      advance(index, from: end)
    }
    nearest = next.min() ?? .max
    return found
  }

  /// Goes on behind a stretch of the block without an answer.
  @inline(__always)
  mutating func pass(from start: Int, to end: Int) {
    if nearest < end { _ = callback(from: start, to: end) }
  }

  private mutating func advance(_ index: Int, from start: Int) {
    let rest = block.dropFirst(start)
    next[index] = rest.find(Self.names[index].words).map { $0 + start } ?? .max
  }

  /// Whether the name ends at `at`, so that it is that of the method or of its notification.
  ///
  /// Not what goes on as another word: WebKit's `WillEnterForegroundForMedia` stands for both ways, and
  /// a variable may be called `didBecomeActiveCount`. Dots behind it say that it is waited for.
  private func endsThere(_ at: Int, in line: Range<Int>) -> Bool {
    guard at < line.upperBound else { return true }
    let rest = LogText(block.start + at, line.upperBound - at)
    switch rest[0] {
    case UInt8(ascii: "."): return rest.count < 2 || rest[1] != UInt8(ascii: ".")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      return rest.starts("Notification") || rest.starts("With")
    default: return true
    }
  }

  /// Whether the name at `at` says that the method runs: not a mangled symbol, not a registration.
  private func isTold(at: Int, in line: Range<Int>) -> Bool {
    guard at > line.lowerBound else { return false }
    let text = LogText(block.start + line.lowerBound, line.count)
    var word = at - 1
    guard block[word] | 0x20 == 0x64 || block[word] | 0x20 == 0x77 else { return false }
    while word > line.lowerBound, block[word - 1] | 0x20 >= 0x61, block[word - 1] | 0x20 <= 0x7A {
      word -= 1
    }
    if word > line.lowerBound, block[word - 1] &- 0x30 < 10 || block[word - 1] == 0x5F {
      return false
    }
    let owner = LogText(block.start + word, at - 1 - word)
    let isKnown =
      owner.isEmpty || owner.equals("application") || owner.equals("UIApplication")
      || owner.equals("scene") || owner.equals("UIScene") || owner.equals("on")
      || owner.equals("app")
    return isKnown && text.find("bserver") == nil && text.find("egister") == nil
      && text.find("ubscrib") == nil && text.find("taskName") == nil
  }
}
