// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceTrace

/// What the successor of a recorder that died must know, in a file of the session's directory.
///
///     output /home/ann/run.lifetrace
///     profile ios17
///     redact /[0-9]{16}/
package struct SessionAbout: Hashable, Sendable {
  package var output: String
  package var profile = ""
  package var timeScale: UInt32 = 1000
  package var deviceHigh: UInt64 = 0
  package var deviceLow: UInt64 = 0
  /// What the recording belongs to together with others; empty for nothing.
  package var run = ""
  /// The patterns of strings that must not reach the file.
  package var redactions: [String] = []
  package var sync = false
  package var sizeMax: Int?
  /// False where chunks travel: those that were sent must stay what they were.
  package var compacts = true
  /// How large they may be there.
  package var chunkBytesMax: Int?
  /// `XDG_RUNTIME_DIR` of the recorder, empty without one; nil where an earlier version did not say.
  package var runtimeDirectory: String?
  /// Only a part is kept: the last one, or what nobody else has.
  package var keepsPart = false
  /// Others may follow it.
  package var settles = false

  init(_ options: RecorderOptions) {
    output = options.output
    profile = options.profile
    timeScale = options.timeScale
    redactions = options.redactions.map(\.pattern)
    sync = options.sync
    sizeMax = options.sizeMax
    compacts = options.compacts
    chunkBytesMax = options.chunkBytesMax
    runtimeDirectory = environment("XDG_RUNTIME_DIR") ?? ""
    keepsPart = options.retention != .all || options.custody != nil
    settles = options.settles
    run = options.run
  }

  /// What to go on with.
  func options() throws(RedactionError) -> RecorderOptions {
    var options = RecorderOptions(output: output)
    options.profile = profile
    options.timeScale = timeScale
    options.sync = sync
    options.sizeMax = sizeMax
    options.compacts = compacts
    options.chunkBytesMax = chunkBytesMax
    options.settles = settles
    options.run = run
    for pattern in redactions { options.redactions.append(try Redaction(pattern)) }
    return options
  }

  private var lines: [(key: String, value: String)] {
    var lines = [
      ("output", output), ("profile", profile), ("timescale", "\(timeScale)"),
      ("device", "\(deviceHigh) \(deviceLow)"), ("sync", "\(sync)"),
      ("last", "\(keepsPart)"), ("settles", "\(settles)"),
      ("run", run), ("compacts", "\(compacts)"),
    ]
    if let runtimeDirectory { lines.append(("runtime", runtimeDirectory)) }
    if let sizeMax { lines.append(("maxsize", "\(sizeMax)")) }
    if let chunkBytesMax { lines.append(("chunkbytes", "\(chunkBytesMax)")) }
    return lines + redactions.map { ("redact", $0) }
  }

  /// In one step: one that was there before stands until then.
  func write(in directory: String) -> Bool {
    let text = lines.map { "\($0.key) \(Self.escape($0.value))\n" }.joined()
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    let temporary = directory + "/about.tmp"
    let fd = open(temporary, flags, 0o600)
    guard fd >= 0 else { return false }
    defer { close(fd) }
    return Descriptor.write(text, to: fd) == 0 && rename(temporary, directory + "/about") == 0
  }

  package init?(in directory: String) {
    guard let text = SmallFile.lineIfReadable(directory + "/about") else { return nil }
    output = ""
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else { continue }
      take(words[0], Self.unescape(words[1]))
    }
    if output.isEmpty { return nil }
  }

  private mutating func take(_ key: Substring, _ value: String) {
    switch key {
    case "output": output = value
    case "profile": profile = value
    case "timescale": timeScale = UInt32(value) ?? 1000
    case "device":
      let halves = value.split(separator: " ").compactMap { UInt64($0) }
      if halves.count == 2 { (deviceHigh, deviceLow) = (halves[0], halves[1]) }
    case "runtime": runtimeDirectory = value
    case "sync": sync = value == "true"
    case "last": keepsPart = value == "true"
    case "run": run = value
    case "settles": settles = value == "true"
    case "maxsize": sizeMax = Int(value)
    case "compacts": compacts = value == "true"
    case "chunkbytes": chunkBytesMax = Int(value)
    case "redact": redactions.append(value)
    default: break
    }
  }

  /// Each value stands in one line.
  private static func escape(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for character in text.unicodeScalars {
      if character == "\\" || character == "\n" { result.append("\\") }
      result.append(character == "\n" ? "n" : character)
    }
    return String(result)
  }

  private static func unescape(_ text: Substring) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for character in text.unicodeScalars {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return String(result)
  }
}
