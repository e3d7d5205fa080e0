// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// What is there and what is gone is counted in one way: `info`, `verify`, `repair`, `merge` and
/// `check` say the same of one damaged file, and of what a repair makes of it.
@Suite(.waits) struct OneCountTests {
  private let folder: TestFolder
  private let bytes: [UInt8]

  /// Three chunks: 16,384 events, as many again, and the rest of 40,000.
  init() throws {
    folder = try TestFolder()
    var story = "app notes#1 profile=ios13\n+0s notes#1 main process.start reason=icon app=notes\n"
    for index in 1..<39_999 {
      story += "+\(index)ms notes#1 main mark \"m\(index % 50)\"\n"
    }
    story += "+90s notes#1 main process.exit cause=exit code=0\n"
    try folder.write(story, to: "whole.story")
    bytes = try Self.made(in: folder)
  }

  private static func made(in folder: TestFolder) throws -> [UInt8] {
    let made = TerminalSession.shell(
      "cd \(folder.path) && \(TerminalSession.quoted(BuiltBinary.path)) import story whole.story -o whole 2>&1"
    )
    #expect(made.status == 0, "\(made.output)")
    let file = try #require(fopen(folder.path + "/whole", "r"))
    defer { fclose(file) }
    var content = [UInt8](repeating: 0, count: 1 << 20)
    content.removeLast(content.count - fread(&content, 1, content.count, file))
    return content
  }

  private func run(_ arguments: String) -> String {
    shell("lifetrace \(arguments)", in: folder).output
  }

  /// Where chunks begin.
  private var chunks: [Int] {
    bytes.indices.dropLast(16).filter {
      bytes[$0..<($0 + 4)] == [0x5C, 0x2A, 0x4D, 0x18]
        && bytes[($0 + 8)..<($0 + 16)] == Array("LTRCHUNK".utf8)[...]
    }
  }

  private func write(_ damaged: [UInt8]) throws {
    try folder.write(damaged, to: "damaged")
  }

  /// The same words about `file` from all that read it.
  private func expect(_ file: String, _ there: String, _ lost: String) {
    let lines = [
      "info": run("info \(file)"), "verify": run("verify \(file)"),
      "repair": run("repair \(file) -o repaired-\(file) --force"),
      "merge": run("merge \(file) \(file) -o merged-\(file) --force"),
    ]
    for (command, line) in lines {
      let events = there.split(separator: " in ")
      #expect(events.allSatisfy { line.contains($0) }, "\(command) \(file): \(line)")
      #expect(line.contains(lost), "\(command) \(file): \(line)")
    }
    let check = run("check \(file)")
    #expect(check.contains("\n\(lost): what they held was not judged."), "\(check)")
    let told = lost.filter(\.isNumber)
    let jsonl = run("check --format jsonl \(file)")
    #expect(jsonl.contains("\"lost\":\(told.isEmpty ? "0" : told),"), "\(jsonl)")
    for command in ["info", "verify"] {
      let json = run("\(command) --json \(file)")
      #expect(json.contains("\"lostInAll\":\(told.isEmpty ? "0" : told),"), "\(json)")
    }
  }

  private func expectAll(_ there: String, _ lost: String) {
    expect("damaged", there, lost)
    // A repair says the same again, and a repair of the repair.
    expect("repaired-damaged", there, lost)
    expect("repaired-repaired-damaged", there, lost)
    expect("merged-damaged", there, lost)
  }

  @Test(arguments: [0, 1])
  func aDamagedPayload(of chunk: Int) throws {
    var damaged = bytes
    damaged[chunks[chunk + 1] - 9] ^= 4
    try write(damaged)
    expectAll("23,616 events in 2 chunks", "16,384 events lost")
    #expect(run("info damaged").contains("payload checksum is 0x"))
  }

  @Test func aDamagedLastPayload() throws {
    var damaged = bytes
    damaged[chunks[2] + 300] ^= 4
    try write(damaged)
    expectAll("32,768 events in 2 chunks", "7,232 events lost")
  }

  /// Without the first chunk the index is not believed: the numbering tells how many are gone, and
  /// whether there was a process besides, nobody knows.
  @Test func aHeaderThatCannotBeFound() throws {
    var damaged = bytes
    damaged[chunks[0]] ^= 4
    try write(damaged)
    expectAll("23,616 events in 2 chunks", "at least 16,384 events lost")
    let verify = run("verify damaged")
    #expect(verify.contains("begins with 0x184D2A58, a chunk with 0x184D2A5C"), "\(verify)")
  }

  @Test func aDamagedHeaderThatTheIndexKnows() throws {
    var damaged = bytes
    damaged[chunks[1]] ^= 4
    try write(damaged)
    expectAll("23,616 events in 2 chunks", "16,384 events lost")
  }

  @Test func chunksThatAreCutOutWhole() throws {
    try write(Array(bytes[..<chunks[1]] + bytes[chunks[2]...]))
    #expect(run("verify damaged").contains("events 16,384 to 32,767 of notes are missing"))
    try write(Array(bytes[chunks[1]...]))
    let verify = run("verify damaged")
    #expect(verify.contains("no beginning: events 0 to 16,383 of notes are not in this file"))
    #expect(run("check damaged").contains("16,384 events lost: what they held was not judged."))
    #expect(run("info damaged").contains("16,384 events lost"))
    let replay = run("replay --batch damaged -e quit < /dev/null")
    #expect(replay.contains("16,384 events lost: what they held is not judged."), "\(replay)")
    #expect(replay.contains("No rule is broken in what is left."), "\(replay)")
  }

  @Test func aTornTail() throws {
    try write(Array(bytes[..<(chunks[2] + 200)]))
    expectAll("32,768 events in 2 chunks", "an unknown number of events lost")
  }

  @Test func whatWasNotReadIsNotVouchedFor() throws {
    #expect(run("info whole").contains("\n  no events lost\n"))
    // Larger than what info reads whole: a hole between two recordings.
    let made = TerminalSession.shell(
      "cd \(folder.path) && cp whole large && truncate -s 40M large && cat whole >> large"
    )
    #expect(made.status == 0)
    let info = run("info large")
    #expect(
      info.contains("lost as far as headers tell; payloads not read, lifetrace verify large does"),
      "\(info)"
    )
    #expect(run("info --json large").contains("\"payloadsRead\":false"))
  }
}
