// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Finds out whether a message reports something about a life cycle.
///
/// One look at the first byte sends nine lines of ten away; the others are
/// compared with the few beginnings that share it.
struct LogRecognizer {
  /// What is kept of a name that an app chose.
  static let textBytesMax = 512

  var names = Names()
  /// Set by messages that go on in lines without a prefix.
  var expects = Continuation.none

  enum Continuation {
    case none, lockedFiles, permittedTime
  }

  /// The fact that `message` states, or nil.
  @inline(__always)
  mutating func recognize(_ message: LogText) -> LogFact? {
    expects = .none
    guard message.count > 8 else { return nil }
    switch message[0] {
    case 0x5B, 0x28: return recognizeBracket(message)
    case 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x49, 0x73, 0x4D, 0x4E, 0x50, 0x52, 0x53, 0x57, 0x5F,
      0x3C, 0x6D,
      0x6B, 0x7B, 0x2D, 0x3D, 0x30...0x39:
      return recognizePlain(message)
    default: return nil
    }
  }

  /// A message that begins with a subsystem, or with the process it is about.
  private mutating func recognizeBracket(_ message: LogText) -> LogFact? {
    if message[0] == 0x5B {
      if let target = LogTarget(message) { return recognizeTargeted(target) }
      if let scene = message.prefix(160).after(":sceneID:") { return sceneLine(message, scene) }
    }
    var rest = message
    for _ in 0..<3 {
      guard rest.count > 2, rest[0] == 0x5B || rest[0] == 0x28,
        let close = rest.prefix(160).find(byte: rest[0] == 0x5B ? 0x5D : 0x29)
      else { break }
      let group = rest.prefix(close).dropFirst(1)
      rest = rest.dropFirst(close + 1).trimmedLeft
      if let label = group.behind("UIKitApplication:") { return launchdExit(label, rest) }
      if let fact = recognizeNamed(group, rest) { return fact }
      if let target = LogTarget(rest) { return recognizeTargeted(target) }
    }
    guard rest.count < message.count, rest.count > 8 else { return nil }
    return recognizePlain(rest)
  }

  private mutating func recognizePlain(_ text: LogText) -> LogFact? {
    switch text[0] {
    case 0x44: return startingWithD(text)
    case 0x41: return startingWithA(text)
    case 0x42: return startingWithB(text)
    case 0x43: return startingWithC(text)
    case 0x45: return startingWithE(text)
    case 0x46: return startingWithF(text)
    case 0x49: return startingWithI(text)
    case 0x73: return text.behind("sceneOfRecord: sceneID: sceneID:").flatMap { sceneBundle($0) }
    case 0x4D, 0x4E: return startingWithMN(text)
    case 0x50: return startingWithP(text)
    case 0x52: return startingWithR(text)
    case 0x53: return startingWithS(text)
    case 0x57: return startingWithW(text)
    case 0x5F: return diagnostics(text)
    case 0x3C: return beyondPermitted(text)
    case 0x6D, 0x6B: return kernel(text)
    case 0x7B: return locationState(text)
    case 0x2D: return audioState(text)
    case 0x3D:
      if text.starts("=== system boot") { return LogFact(.boot) }
      return text.starts("=== system wallclock time adjusted") ? LogFact(.clockSet) : nil
    case 0x30...0x39: return startingWithDigit(text)
    default: return nil
    }
  }
}

// MARK: - Words

extension LogRecognizer {
  mutating func name(_ text: LogText) -> NameID {
    let bytes = text.prefix(Self.textBytesMax)
    return names.intern(utf8: UnsafeBufferPointer(start: bytes.start, count: bytes.count))
  }

  /// Letters, digits and hyphens at the start.
  static func wordLength(_ text: LogText) -> Int {
    var end = 0
    while end < text.count, end < 64,
      text[end] | 0x20 >= 0x61 && text[end] | 0x20 <= 0x7A || text[end] &- 0x30 < 10
        || text[end] == 0x2D || text[end] == 0x5F
    { end += 1 }
    return end
  }

  static func word(_ text: LogText?) -> LogText {
    guard let text else { return LogText(emptyWord.utf8Start, 0) }
    return text.prefix(wordLength(text))
  }

  private static let emptyWord: StaticString = " "
}
