// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Glibc
import Support
import TestThreads
import Testing

/// Damage does not change what is known behind it, nor does a repair.
@Suite(.waits) struct DamagedVerdictTests {
  private let folder: TestFolder
  private var bytes: [UInt8] = []

  /// An edit in the first chunk, and the purge that loses it in the second.
  init() throws {
    folder = try TestFolder()
    var story = """
      app notes#1 profile=ios13
      +0s notes#1 main process.start reason=icon app=notes
      +0.1s notes#1 main task.begin id=7 name=save handler=true
      +0.1s notes#1 main data.dirty draft.txt version=1 bytes=900 @Editor.swift:41

      """
    for index in 0..<17_000 {
      story += "+\(index + 1_000)ms notes#1 main mark \"m\(index % 50)\"\n"
    }
    story += "+30s notes#1 main state.purge cause=purge\n"
    try folder.write(story, to: "lost.story")
    let made = run("lifetrace import story lost.story -o lost")
    #expect(made.status == 0, "\(made.output)")
    let file = try #require(fopen(folder.path + "/lost", "r"))
    defer { fclose(file) }
    var content = [UInt8](repeating: 0, count: 1 << 20)
    content.removeLast(content.count - fread(&content, 1, content.count, file))
    bytes = content
  }

  private func run(_ line: String) -> (status: Int32, output: String) { shell(line, in: folder) }

  @Test func whatIsWholeIsJudged() throws {
    let check = run("lifetrace check lost")
    #expect(check.status == 1, "\(check.output)")
    #expect(check.output.contains("DS02 error"), "\(check.output)")
  }

  /// The second chunk says what is known there, so the loss is still certain; what else the first
  /// held is not.
  @Test(arguments: ["contents", "first byte", "head"])
  func aLossBehindALostChunkIsTold(of part: String) throws {
    var damaged = bytes
    switch part {
    case "contents": damaged[bytes.count * 2 / 5] ^= 0x10
    case "first byte": damaged[0] ^= 0x10
    default: damaged.removeFirst(bytes.count / 4)
    }
    try damaged.withUnsafeBytes { content in
      let file = try #require(fopen(folder.path + "/damaged", "w"))
      fwrite(content.baseAddress, 1, content.count, file)
      fclose(file)
    }
    // As verify would leave of the copy: without its head the file has lost its end.
    #expect(run("lifetrace repair damaged -o repaired").status == (part == "head" ? 2 : 0))
    for name in ["damaged", "repaired"] {
      let check = run("lifetrace check \(name)")
      #expect(check.status == 1, "\(name): \(check.output)")
      #expect(check.output.contains("DS02 error  notes#1"), "\(name): \(check.output)")
      #expect(
        check.output.contains("16,384 events lost: what they held was not judged"),
        "\(name): \(check.output)"
      )
      let judged = try verdicts(of: name)
      #expect(judged.check == judged.replay)
      #expect(judged.check.contains { $0.hasPrefix("undecidable BT") }, "\(judged)")
    }
    try tellsWhatIsNotThere("damaged")
    let verify = run("lifetrace verify repaired")
    // Without its head, the file has lost the index that says it was ended.
    #expect(verify.status == (part == "head" ? 2 : 0), "\(verify.output)")
  }

  /// The edit is known from the second chunk alone: its event is not in the file.
  private func tellsWhatIsNotThere(_ name: String) throws {
    let why = run("lifetrace replay \(name) --batch -q -e 'goto end' -e 'why draft.txt'").output
    #expect(why.contains("draft.txt version 1 (900 bytes) was lost"), "\(why)")
    #expect(why.contains("newest edit, unsaved  is not in the recording"), "\(why)")
    #expect(why.contains("The end of the process (purge) lost 900 bytes"), "\(why)")
    #expect(why.contains("What ran between the edit and notes#1:"), "\(why)")
    #expect(!why.contains("lose nothing"), "\(why)")
    let check = run("lifetrace check \(name)").output
    #expect(check.contains("notes#1:2  edit  Editor.swift:41  (not in the recording)"), "\(check)")
    let command = try #require(
      check.split(separator: "\n").first { $0.contains("  lifetrace replay \(name) -e") }
    )
    let walked = run("\(command) --batch")
    #expect(walked.status == 0, "\(command): \(walked.output)")
  }

  /// What `check` and `replay` say of the same file, a line a verdict, in order of the lines.
  private func verdicts(of name: String) throws -> (check: [String], replay: [String]) {
    func line(_ verdict: JSON) -> String? {
      guard let outcome = verdict["outcome"]?.string, ["violated", "undecidable"].contains(outcome)
      else { return nil }
      return [
        outcome, verdict["rule"]?.string, verdict["writer"]?.string, verdict["title"]?.string,
      ]
      .map { $0 ?? "-" }.joined(separator: " ")
    }
    func objects(_ line: String) throws -> [JSON] {
      try run(line).output.split(separator: "\n").filter { $0.hasPrefix("{") }
        .map { try JSON(parsing: $0.utf8) }
    }
    let check = try objects("lifetrace check \(name) --format jsonl").compactMap(line)
    let replay = try objects("lifetrace replay \(name) --batch --json -e 'violations all'")
      .flatMap { ($0["violations"]?.array ?? []) + ($0["undecidable"]?.array ?? []) }
      .compactMap(line)
    return (check.sorted(), replay.sorted())
  }
}
