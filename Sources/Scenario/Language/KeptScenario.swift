// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A scenario as a recording keeps it, so that `lifetrace rerun` can play it again.
///
///     recorder.record(KeptScenario(scenario, commands).event, about: recorder.deviceWriter)
///     let again = try KeptScenario(event, names)?.scenario()
///
/// It is one event in the stream of the device, and so redactions hold for it as for any other. The
/// text is not the file that a person has written: comments are left out, and each app has its command.
package struct KeptScenario: Sendable, Hashable {
  /// A program as it was when it was started.
  package struct Program: Sendable, Hashable {
    /// Absolute.
    package var path: String
    package var bytes: UInt64
    /// Its CRC32C.
    package var checksum: UInt32

    /// What identifies it.
    package init(path: String, bytes: UInt64, checksum: UInt32) {
      (self.path, self.bytes, self.checksum) = (path, bytes, checksum)
    }
  }

  /// The file that it was read from; where it was made by a test, what the test calls it.
  package var file: String
  /// Empty where it is longer than ``bytesMax``.
  package var text: String
  /// The length of the text before it was left out or redacted.
  package var bytes: UInt64
  /// Where it was played; empty for virtual time.
  package var folder = ""
  /// What its apps were started from.
  package var programs: [Program] = []
  /// Where its steps stand in the file, each before those inside of it; empty in recordings that do
  /// not say it.
  package var places: [ScenarioPlace] = []
  /// Whether it was recorded with `--observe`.
  package var observes = false
  /// Whether it was recorded with `--capture-output`.
  package var capturesOutput = false

  /// A longer text is not kept: no string of a recording is.
  package static let bytesMax = Chunk.stringBytesMax

  /// The scenario, in which each app is started by the command that stands at its place; by none in
  /// virtual time.
  package init(_ scenario: Scenario, commands: [[String]] = []) {
    var whole = scenario
    for (app, command) in zip(whole.apps.indices, commands) { whole.apps[app].command = command }
    file = scenario.file
    places = scenario.places
    text = whole.yaml()
    bytes = UInt64(text.utf8.count)
    if bytes > Self.bytesMax { text = "" }
  }

  /// What such an event says; nil for events of other kinds.
  package init?(_ event: Event, _ names: Names) {
    guard event.kind == .scenario else { return nil }
    let said = Payload.Scenario(event)
    (file, text, bytes) = (names[said.file], names[said.text], said.bytes)
    folder = names[said.folder]
    for line in names[said.how ?? .empty].split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      switch words.first {
      case "observe": observes = true
      case "capture-output": capturesOutput = true
      case "places" where words.count == 2: places = Self.places(words[1])
      case "program" where words.count == 4:
        guard let bytes = UInt64(words[1]), let checksum = UInt32(words[2], radix: 16) else {
          break
        }
        programs.append(Program(path: String(words[3]), bytes: bytes, checksum: checksum))
      default: break
      }
    }
  }

  /// What the recording gets.
  package var event: RecordedEvent {
    var how = programs.map { "program \($0.bytes) \(String($0.checksum, radix: 16)) \($0.path)" }
    if observes { how.append("observe") }
    if capturesOutput { how.append("capture-output") }
    // Last: where all of it is too long, it is what is cut.
    if !places.isEmpty, !text.isEmpty {
      how.append("places " + places.map { "\($0.line):\($0.column)" }.joined(separator: ","))
    }
    let lines = how.joined(separator: "\n")
    return RecordedEvent {
      Payload.Scenario(
        file: $0.name(file),
        text: $0.name(text),
        bytes: bytes,
        folder: $0.name(folder),
        how: lines.isEmpty ? nil : $0.name(lines)
      )
    }
  }

  /// `4:3,7:3`; none where one is not understood.
  private static func places(_ text: Substring) -> [ScenarioPlace] {
    var out: [ScenarioPlace] = []
    for place in text.split(separator: ",") {
      let numbers = place.split(separator: ":")
      guard numbers.count == 2, let line = UInt32(numbers[0]), let column = UInt32(numbers[1])
      else {
        return []
      }
      out.append(ScenarioPlace(line: Int(line), column: Int(column)))
    }
    return out
  }

  /// The scenario itself, its steps where they stand in the file.
  ///
  /// - Throws: Why it cannot be played as it was: it is too long, redacted, or not understood.
  package func scenario() throws(HostError) -> Scenario {
    guard !text.isEmpty else {
      throw HostError(
        "its scenario of \(Quantity.bytes(bytes)) was too long to be kept (at most "
          + "\(Quantity.bytes(UInt64(Self.bytesMax))))"
      )
    }
    // A redaction may take as many bytes as it leaves.
    guard UInt64(text.utf8.count) == bytes, !text.contains("[redacted ") else {
      throw HostError("its scenario was redacted, and is not what was played")
    }
    do throws(ScenarioProblem) {
      var scenario = try Scenario(parsing: text, file: file)
      scenario.file = file
      scenario.setPlaces(places)
      return scenario
    } catch {
      throw HostError("its scenario is not understood: \(error.message)")
    }
  }
}
