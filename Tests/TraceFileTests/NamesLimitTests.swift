// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// What the strings of a file may take of a reader's memory.
@Suite struct NamesLimitTests {
  private static let limit = 1 << 20
  private static let chunks = 12

  private func bomb(_ folder: TestFolder, used: Int, spare: Int) throws -> String {
    let path = folder.file("bomb")
    var bomb = StringBomb(used: used, spare: spare)
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for _ in 0..<Self.chunks { try writer.append(bomb.next()) }
    try writer.finish(end: true)
    return path
  }

  /// The names of all events, each of which has one.
  private func names(_ reader: TraceReader) throws -> [String] {
    var all: [String] = []
    for chunk in reader.streams.flatMap(\.chunks) {
      let events = try reader.decode(chunk).events
      all += events.map { reader.names[$0.identityName] }
    }
    return all
  }

  @Test func namesBeyondTheLimitAreDroppedAndItIsSaid() throws {
    let folder = try TestFolder()
    let path = try bomb(folder, used: 40, spare: 0)
    let reader = try TraceReader(path: path, namesBytesMin: Self.limit)
    let names = try names(reader)
    #expect(reader.names.bytes <= Self.limit + 1_000)
    #expect(names.count == 40 * Self.chunks)
    #expect(names.prefix(40).allSatisfy { $0.utf8.count == 16_000 })
    #expect(names.last == Names.droppedText)
    let problems = reader.problems
    #expect(problems.map(\.kind) == [.names])
    #expect(problems.allSatisfy { $0.isDamage && !$0.isRepairable })
    let limit = Quantity.bytes(UInt64(Self.limit))
    #expect(problems.first?.text.contains(limit) == true, "\(problems)")
  }

  @Test func theNamesOfASoundFileAreAllThere() throws {
    let folder = try TestFolder()
    let reader = try TraceReader(path: bomb(folder, used: 40, spare: 0))
    #expect(Set(try names(reader)).count == 40 * Self.chunks)
    #expect(reader.problems.isEmpty)
  }

  @Test func stringsThatNoRowUsesAreNotKept() throws {
    let folder = try TestFolder()
    let reader = try TraceReader(path: bomb(folder, used: 2, spare: 100))
    let names = try names(reader)
    #expect(names.allSatisfy { $0.utf8.count == 16_000 })
    #expect(reader.names.strings.filter { $0.utf8.count == 16_000 }.count == 2 * Self.chunks)
  }

  @Test func aCopyKeepsAllNames() throws {
    let folder = try TestFolder()
    let path = try bomb(folder, used: 40, spare: 100)
    let summary = try TraceCopy.make(folder.file("copy"), from: [path, path])
    #expect(summary.problems.isEmpty)
    let copy = try TraceReader(path: folder.file("copy"))
    #expect(Set(try names(copy)).count == 40 * Self.chunks)
  }
}
