// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// Each command with hostile names of files, labels, keys and lines of logs: what reaches the
/// terminal is neutral, and nothing of it makes a line of its own.
@Suite(.waits) struct NeutralOutputTests {
  private static let vectors = Golden.root + "/Traces/vectors"

  /// A story with `text` in every place that an app fills; replayed and dumped below.
  private static func story(_ text: String) -> String {
    let word = quoted(text)
    return """
      app "l\(text.unicodeScalars.map(escaped).joined())#1" app=\(word) process=\(word) host=\(word) pid=7
      +0s "l\(text.unicodeScalars.map(escaped).joined())#1" main process.start reason=\(word) app=\(word) version=\(word)
      +1s "l\(text.unicodeScalars.map(escaped).joined())#1" main callback.begin \(word)
      +2s "l\(text.unicodeScalars.map(escaped).joined())#1" main data.dirty \(word) version=1 site=\(word) \(word)=5 @\(word):3
      +3s "l\(text.unicodeScalars.map(escaped).joined())#1" main mark \(word) \(word)=\(word)
      +4s "l\(text.unicodeScalars.map(escaped).joined())#1" main log text=\(word) level=info
      +5s "l\(text.unicodeScalars.map(escaped).joined())#1" main task.begin \(word)
      +6s "l\(text.unicodeScalars.map(escaped).joined())#1" main resource.acquire \(word) class=file attribute=\(word)
      +7s "l\(text.unicodeScalars.map(escaped).joined())#1" main process.exit cause=\(word) evidence=\(word)

      """
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    scalar == "x" ? "x" : "\\u{\(String(scalar.value, radix: 16))}"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  /// The same for YAML.
  private static func yaml(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
    return "\"\(scalars.joined())\""
  }

  private static let commands = [
    "info $V", "info --json $V", "verify $V", "verify $D", "verify --json $D", "dump $D",
    "check $D",
    "check $V $D", "check --format jsonl $V", "replay -q --batch -e 'info trace' $D", "verify $N",
    "replay $N", "info $E", "repair $D -o $O", "repair $D -o $O", "merge $V $D -o $M",
    "import story $N -o $O", "import story $Y -o $O", "import story $S -f -o $T", "dump $T",
    "dump --json $T", "dump --app nobody $T", "info $T", "check $T", "check --format jsonl $T",
    "replay -q --batch -e list -e 'goto 100%' -e list -e 'info event' -e state -e spans -e tasks "
      + "-e dirty -e resources -e 'why state' -e 'violations all' -e 'ps all' -e prev -e back $T",
    "replay -q --batch --json -e list -e state -e 'ps all' $T", "replay $Y",
    "import console $L -f -o $O", "import console $C -f -o $O", "import console $N -o $O",
    "scenario check $Y", "scenario check $N", "--config $G check $T", "check --config $G $T",
    "record -o $V -- true", "record -o $R -- true", "record -o $P/$N -- true",
    "record -o $R2 -- $N",
    "record --recover $N", "$N", "import console --app $A $C -f -o $O", "import auto $L -f -o $O",
    "import auto $L $C -f -o $O", "import auto $N -o $O",
  ]

  /// What each command prints, errors too.
  private func run(_ text: String) throws -> [String] {
    let folder = try TestFolder()
    let name = { (kind: String) in folder.file(kind + text) }
    try folder.write(Self.story(text), to: "S" + text)
    try folder.write("\(Self.yaml(text)): 1\napps: [\(Self.yaml(text))]\n", to: "Y" + text)
    try folder.write("\(Self.yaml(text)): 1\nrules: [\(Self.yaml(text))]\n", to: "G" + text)
    try folder.write([], to: "E" + text)
    // A line of a log ends where a line ends.
    let line = text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }
    try folder.write("what \(String(String.UnicodeScalarView(line))) is this\n", to: "L" + text)
    let app = String(String.UnicodeScalarView(line))
    try folder.write(
      "default\t10:00:00.000000 +0000\t\(app)\tcalled \(app)\n"
        + "default\t10:00:01.000000 +0000\tother\tsaid \(app)\n",
      to: "C" + text
    )
    var lines = ["cp \(Self.vectors)/two-writers.lifetrace \(TerminalSession.quoted(name("V")))"]
    lines.append("cp \(Self.vectors)/damaged.lifetrace \(TerminalSession.quoted(name("D")))")
    let kinds = "V D S Y G E L C O M T R R2 A P N".split(separator: " ").map(String.init)
    for kind in kinds {
      lines.append("\(kind)=\(TerminalSession.quoted(name(kind)))")
    }
    for (index, command) in Self.commands.enumerated() {
      let words = command.replacing(#/\$([A-Z]2?)/#) { "\"$\($0.output.1)\"" }
      lines.append("lifetrace \(words) > out.\(index) 2>&1 < /dev/null")
    }
    _ = shell(lines.joined(separator: "\n"), in: folder)
    return try Self.commands.indices.map { index in
      let bytes = try folder.read("out.\(index)")
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.utf8.count == bytes.count, "\(Self.commands[index]): bytes that are no text")
      return text
    }
  }

  @Test func nothingThatOthersWroteReachesTheTerminalRaw() throws {
    let plain = try run("x")
    let step = 5
    for start in stride(from: 0, to: HostileText.payloads.count, by: step) {
      let payloads = HostileText.payloads[start...].prefix(step)
      // A name of a file holds no slash, and at most 255 bytes.
      let hostile = try run(payloads.joined(separator: "x"))
      for (index, command) in Self.commands.enumerated() {
        let said = hostile[index]
        let dangers = HostileText.dangers(in: said)
        #expect(dangers.isEmpty, "\(command): \(dangers)\n\(said.debugDescription)")
        #expect(
          said.count { $0 == "\n" } == plain[index].count { $0 == "\n" },
          "\(command)\n\(said.debugDescription)\n\(plain[index])"
        )
      }
    }
  }
}
