// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceTrace
@testable import LifetraceTraceFile

/// Readers take the table of messages in a header for the messages of its chunk: `verify` compares them.
@Suite struct MessageTableDamageTests {
  private func problems(_ forge: (inout [MessageEdge]) -> Void) throws -> [String] {
    let folder = try TestFolder()
    var source = RandomEvents(seed: 5)
    var events = source.next(20)
    Sample.putMessages(into: &events, areCounted: true)
    var chunk = Sample.chunk(events, writer: Sample.writers[0], from: 0, names: source.names)
    var table = try #require(chunk.header.messages)
    #expect(table.count >= 10)
    forge(&table)
    chunk.header.messages = table
    let writer = try TraceWriter(path: folder.file("forged"), options: .init(.create))
    try writer.append(chunk)
    try writer.finish(end: true)
    let reader = try TraceReader(path: folder.file("forged"))
    try reader.verify()
    return reader.problems.map(\.description)
  }

  @Test func aTrueTableIsNoDamage() throws { #expect(try problems { _ in } == []) }

  @Test(arguments: ["flow", "time", "direction", "row", "lateness", "missing", "more"])
  func aForgedOneIs(_ what: String) throws {
    let found = try problems { table in
      switch what {
      case "flow": table[1].flow &+= 1
      case "time": table[1].time = table[1].time.advanced(by: 1)
      case "direction": table[1].isSend.toggle()
      case "row": table[1].row += 1
      case "lateness": table[1].lateness ^= 1 << 40
      case "missing": table.removeLast()
      default:
        let last = table[table.count - 1]
        var more = last
        more.row += 1
        table.append(more)
      }
    }
    #expect(found.contains { $0.contains("table of messages") }, "\(what): \(found)")
  }
}
