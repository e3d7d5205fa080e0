// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Drain
import Glibc
import TestThreads
import Testing

private let perBlock = UInt64(LT_BLOCK_BYTES - LT_BLOCK_HEADER_BYTES) / 56

@Suite(.waits) struct FullPoolTests {
  @Test func newestAreDroppedAndCounted() throws {
    let session = try TestSession(poolBytesMax: 16 * UInt64(LT_BLOCK_BYTES))
    #expect(try Emitter.run("numbers", "50000", in: session) == 0)
    let pool = try #require(session.pools().first)
    let kept = try #require(counts(pool.take())[0])
    #expect(kept == 14 * perBlock, "seven eighths of the blocks")
    #expect(pool.dropped(LT_FAMILY_WORK) == 50000 - kept)
    #expect(pool.dropped == 50000 - kept)
  }

  @Test func dataGoesOnInTheLastEighth() throws {
    let session = try TestSession(poolBytesMax: 16 * UInt64(LT_BLOCK_BYTES))
    #expect(try Emitter.run("families", "50000", in: session) == 0)
    let pool = try #require(session.pools().first)
    let records = pool.take()
    let kinds = Dictionary(grouping: records, by: \.record.kind).mapValues(\.count)
    let dirty = UInt8(LT_KIND_DATA_DIRTY.rawValue)
    #expect(kinds[dirty] == (50000 + 63) / 64, "not one was dropped")
    #expect(pool.dropped(LT_FAMILY_DATA) == 0)
    let work = UInt64(kinds[UInt8(LT_KIND_WORK_BEGIN.rawValue)] ?? 0)
    #expect(work > 0 && pool.dropped(LT_FAMILY_WORK) == 50000 - work)
  }

  @Test func poolsGrowByDemand() throws {
    let session = try TestSession()
    #expect(try Emitter.run("numbers", "10", in: session) == 0)
    #expect(try #require(session.pools().first).blocksReady == 16)
    let other = try TestSession()
    #expect(try Emitter.run("numbers", "100000", in: other) == 0)
    let pool = try #require(other.pools().first)
    #expect(pool.blocksReady >= 86 && pool.blocksReady < 128)
    #expect(counts(pool.take()) == [0: 100_000])
  }

  @Test func blockingLosesNothingWhileSomebodyDrains() throws {
    let session = try TestSession(
      onFull: LT_ON_FULL_BLOCK,
      timeoutMilliseconds: 60_000,
      poolBytesMax: 4 * UInt64(LT_BLOCK_BYTES)
    )
    let (status, records, dropped) = try Emitter.drained("numbers", "100000", in: session)
    #expect(status == 0)
    #expect(dropped == 0)
    #expect(counts(records.values.flatMap { $0 }) == [0: 100_000])
  }

  @Test func blockingGivesUpWhenNobodyDrains() throws {
    let session = try TestSession(
      onFull: LT_ON_FULL_BLOCK,
      timeoutMilliseconds: 20,
      poolBytesMax: 4 * UInt64(LT_BLOCK_BYTES)
    )
    #expect(try Emitter.run("numbers", "10000", in: session) == 0)
    let pool = try #require(session.pools().first)
    let kept = try #require(counts(pool.take())[0])
    #expect(kept + pool.dropped == 10_000)
    #expect(pool.dropped > 0)
  }

  @Test func fullNameTableRefusesAndCounts() throws {
    let session = try TestSession()
    #expect(try Emitter.run("strings", "1500", in: session) == 0)
    let pool = try #require(session.pools().first)
    let ids = pool.take().filter { $0.record.kind == LT_KIND_LOG.rawValue }.map(\.record.arg.0)
    let named = ids.prefix { $0 != UInt64(LT_NAME_LOST) }
    #expect(ids.count == 1500)
    #expect(named.count > 1000 && named.count < 1024, "4 MiB of 4 KiB strings")
    #expect(ids.dropFirst(named.count).allSatisfy { $0 == UInt64(LT_NAME_LOST) })
    #expect(pool.stringsRefused == UInt64(1500 - named.count))
    #expect(pool.string(UInt32(named.last ?? 0))?.utf8.count == 4096)
  }

  // A write past a full tmpfs is a SIGBUS; the program would end with 128 + 7.
  @Test(arguments: [
    ("1m", "none", "pools=1 elsewhere=1 records=101000 dropped=0 data=1000\n"),
    ("1m", "session", "pools=1 elsewhere=1 records=101000 dropped=0 data=1000\n"),
    ("4k", "session", "pools=1 elsewhere=1 records=101000 dropped=0 data=1000\n"),
    ("64k", "all", "pools=0 elsewhere=0 records=0 dropped=0 data=0\n"),
  ])
  func fullFileSystemIsNoSignalInTheApp(size: String, filled: String, expected: String) throws {
    let session = try TestSession()
    let emitter = try Emitter(["tmpfs", session.directory, size, filled, "100000"], in: nil)
    let output = String(decoding: emitter.readAll(), as: UTF8.self)
    #expect(emitter.wait() == 0)
    if output == "unprivileged\n", !Needs.isContinuousIntegration { return }
    #expect(output == expected)
  }

  @Test func smallFileSystemIsUsedAsFarAsItGoes() throws {
    let session = try TestSession()
    let emitter = try Emitter(["tmpfs", session.directory, "3m", "rest", "100000"], in: nil)
    let output = String(decoding: emitter.readAll(), as: UTF8.self)
    #expect(emitter.wait() == 0)
    if output == "unprivileged\n", !Needs.isContinuousIntegration { return }
    let numbers = output.split { !$0.isNumber }.compactMap { Int($0) }
    #expect(numbers.count == 5)
    #expect(numbers[0] == 1 && numbers[1] == 0)
    #expect(numbers[2] > 10_000 && numbers[2] + numbers[3] == 101_000)
    #expect(numbers[4] == 1000, "data goes on")
  }

  @Test(arguments: [("5000000", "0"), ("1000000", "0"), ("0", "60000000")])
  func limitsOfTheProcessAreNoSignalInTheApp(file: String, addresses: String) throws {
    let session = try TestSession()
    #expect(try Emitter.run("limited", file, addresses, in: session) == 0)
    guard let pool = session.pools().first else {
      #expect(file == "1000000", "not even the tables fit")
      return
    }
    let kept = try #require(counts(pool.take())[0])
    #expect(kept > 1000 && kept + pool.dropped == 50000)
  }
}
