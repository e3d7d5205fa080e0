// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What the Swift runtime prints of a crash, line by line.
///
///     *** Signal 4: Backtracing from 0x7f717a36df7f... done ***
///     *** Program crashed: Illegal instruction at 0x00007f717a36df7f ***
///     Thread 0 "notes" crashed:
///      3 [ra] 0x000055bb07ffff51 Store.flush() + 32 in notes at /src/Store.swift:140:34
///     Registers: …
///
/// Where there is no program that reads stacks, the runtime itself prints one behind the fatal error:
/// `Current stack trace:`, then `0  notes  0x000055bb07ffff51 Store.flush() + 32`.
///
/// The first line begins when the process crashes, and nothing of the app runs from there on,
/// however long its stack takes. Of the report the headline and the stack of the thread that has
/// crashed are kept: registers are contents of memory, which no pattern for secrets finds.
struct CrashReport {
  /// When it began; nil while the process is well.
  private(set) var begun: HostTime?
  private var part = Part.head
  private var frames = 0

  /// The first line is no longer.
  static let headBytesMax = 120

  private enum Part { case head, ownStack, stack, rest }

  /// What is recorded of a line.
  enum Line: Equatable {
    /// It is no part of a report.
    case ordinary
    case headline
    /// A function that the thread was in, with its place in the source where that is known.
    case frame(function: String, file: String, line: UInt32)
    case left
  }

  /// Deeper frames are not kept: a stack that has overflowed has thousands.
  private static let framesMax = 64

  /// Looks at a line that has begun; true when it says that the process has crashed.
  mutating func begins(with bytes: [UInt8], at time: HostTime) -> Bool {
    guard begun == nil, bytes.count <= Self.headBytesMax, bytes.starts(with: "*** Signal ".utf8),
      String(decoding: bytes, as: UTF8.self).contains(": Backtracing from")
    else { return false }
    begun = time
    return true
  }

  /// What to do with a whole line.
  mutating func take(_ line: String) -> Line {
    let words = line.drop { $0 == " " }
    guard begun != nil else { return takeOwnStack(words) }
    switch part {
    case .ownStack:
      part = .head
      return take(line)
    case .head:
      if words.hasPrefix("***") || words.contains("Program crashed:") { return .headline }
      if words.hasPrefix("Thread "), words.contains("crashed:") { part = .stack }
      return .left
    case .stack:
      if words.hasPrefix("Registers:") || words.hasPrefix("Thread ") { part = .rest }
      guard part == .stack, let frame = Self.frame(words), frames < Self.framesMax else {
        return .left
      }
      frames += 1
      return frame
    case .rest: return .left
    }
  }

  /// Lines before the report: the runtime's own stack has no places, and at times no names.
  private mutating func takeOwnStack(_ line: Substring) -> Line {
    if line.hasPrefix("Current stack trace:") {
      part = .ownStack
      return .left
    }
    guard part == .ownStack else { return .ordinary }
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
    guard words.count == 4, Int(words[0]) != nil, words[2].hasPrefix("0x") else {
      part = .head
      return .ordinary
    }
    let function = words[3].lastRange(of: " + ").map { words[3][..<$0.lowerBound] } ?? words[3]
    guard function != "<unavailable>", frames < Self.framesMax else { return .left }
    frames += 1
    return .frame(function: Self.name(function), file: "", line: 0)
  }

  /// A closure goes by the function that it stands in; some stand in none.
  private static func name(_ function: Substring) -> String {
    guard function.hasPrefix("closure #") else { return String(function) }
    let inside = function.lastRange(of: " in ").map { function[$0.upperBound...] } ?? ""
    let isNamed = !inside.isEmpty && !inside.hasSuffix(" in")
    return isNamed ? "a closure in \(inside)" : "a closure"
  }

  /// `3 [ra] 0x000055bb07ffff51 inner(_:) + 32 in crash at /src/crash.swift:2:34`.
  private static func frame(_ line: Substring) -> Line? {
    var words = line.split(separator: " ", omittingEmptySubsequences: true)
    guard let first = words.first, Int(first) != nil else { return nil }
    words.removeFirst()
    while let word = words.first, word.hasPrefix("[") || word.hasPrefix("0x") {
      words.removeFirst()
    }
    let text = words.joined(separator: " ")
    guard
      let end = text.firstRange(of: " + ")?.lowerBound ?? text.firstRange(of: " in ")?.lowerBound
    else { return nil }
    let function = name(text[..<end])
    guard let at = text.lastRange(of: " at ") else {
      return .frame(function: function, file: "", line: 0)
    }
    let place = text[at.upperBound...].split(separator: ":")
    guard place.count >= 2, let line = UInt32(place[1]) else {
      return .frame(function: function, file: "", line: 0)
    }
    return .frame(function: function, file: String(place[0]), line: line)
  }
}
