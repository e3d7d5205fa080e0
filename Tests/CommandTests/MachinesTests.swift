// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// Recorders in namespaces of their own, as on two machines, whose apps talk over TCP.
///
/// Needs root, or a kernel that lets everybody have namespaces (`unshare -Ur`).
@Suite(.waits) struct MachinesTests {
  @Test("A time namespace is a clock of its own, and its messages bound it")
  func timeNamespace() throws {
    let folder = try TestFolder()
    let seconds: Int64 = 1_000
    let talked = talk(folder, there: "unshare $root -T --monotonic \(seconds)")
    #expect(talked.status == 0, "\(talked.output)")
    let said = shell("lifetrace clocks --strict --json both.lifetrace", in: folder)
    #expect(said.status == 0, "\(said.output)")
    let facts = try JSON(parsing: said.output.utf8)
    let clocks = try #require(facts["clocks"]?.array)
    #expect(clocks.count == 2)
    let widths = clocks.flatMap { $0["widths"]?.array ?? [] }
    #expect(!widths.isEmpty)
    for width in widths {
      // Both recorders lead the same counter to their clock, each to within 200 microseconds.
      let offset = try #require(width["offset"]?.int)
      let wide = try #require(width["width"]?.int)
      #expect(abs(abs(offset) - seconds * 1_000_000_000) <= wide / 2 + 400_000)
    }
    try expectOrder(folder)
  }

  @Test("In a time namespace a process ends when it does, and not with its last event")
  func endInNamespace() throws {
    let folder = try TestFolder()
    try TestFile.write("on start\nnote last\npause 300\n", to: folder.file("one.part"))
    let ended = shell(
      """
      root=; [ "$(id -u)" = 0 ] || root=-Ur
      unshare $root -T --monotonic 1000 "$lt" record -o t.lifetrace -- "${emitter%/Emitter}/Actor" one app
      lifetrace dump --json t.lifetrace
      """,
      in: folder
    )
    #expect(ended.status == 0, "\(ended.output)")
    var times: [String: Int64] = [:]
    for line in ended.output.split(separator: "\n") where line.hasPrefix("{") {
      let event = try JSON(parsing: line.utf8)
      if let kind = event["kind"]?.string { times[kind] = event["sinceStart"]?.int }
    }
    let last = try #require(times["log"]), exit = try #require(times["process.exit"])
    #expect((300_000_000..<20_000_000_000).contains(exit - last), "\(times)")
  }

  @Test("Two host names of one kernel share one clock")
  func hostNames() throws {
    let folder = try TestFolder()
    let talked = talk(folder, there: "unshare $root -u sh -c 'hostname there; exec \"$@\"' -")
    #expect(talked.status == 0, "\(talked.output)")
    let said = shell("lifetrace clocks both.lifetrace", in: folder)
    #expect(said.output.hasPrefix("one clock, that of "), "\(said.output)")
    #expect(said.output.contains(" and there") || said.output.contains("there and "))
    try expectOrder(folder)
  }

  /// In what is printed each message is sent before it is received, by line and by time.
  private func expectOrder(_ folder: TestFolder) throws {
    let dumped = shell("lifetrace dump --json both.lifetrace", in: folder)
    #expect(dumped.status == 0)
    var sent: [String: Int64] = [:]
    var received = 0
    for line in dumped.output.split(separator: "\n") {
      let event = try JSON(parsing: line.utf8)
      guard let kind = event["kind"]?.string, kind.hasPrefix("message."),
        let flow = event["flow"]?.string, let time = event["sinceStart"]?.int
      else { continue }
      if kind == "message.send" {
        sent[flow] = time
      } else {
        received += 1
        #expect(sent[flow].map { $0 <= time } == true, "flow \(flow)")
      }
    }
    #expect(received == 400)
  }
}
