// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Drain
import Glibc
import Testing

/// Checks that each counter of `records` counts from 0 without a gap, with times that never go
/// back, and answers how many there are by counter.
func counts(_ records: [drain_record]) -> [UInt64: UInt64] {
  var next: [UInt64: UInt64] = [:]
  var time: [UInt64: UInt64] = [:]
  for item in records {
    let counter = item.record.identity
    #expect(item.record.arg.0 == next[counter, default: 0], "counter \(counter)")
    #expect(item.record.tick >= time[counter, default: 0], "counter \(counter)")
    next[counter, default: 0] += 1
    time[counter] = item.record.tick
  }
  return next
}

@Suite struct OrderTests {
  @Test(arguments: [LT_CLOCK_COUNTER, LT_CLOCK_MONOTONIC])
  func recordsOfAThreadKeepTheirOrder(clock: lt_clock_kind) throws {
    let session = try TestSession(clock: clock)
    #expect(try Emitter.run("numbers", "5000", in: session) == 0)
    let pool = try #require(session.pools().first)
    let records = pool.take()
    #expect(counts(records) == [0: 5000])
    #expect(records.allSatisfy { $0.thread == 0 }, "the main thread is 0")
    let site = try #require(records.first.flatMap { pool.site($0.record.site) })
    #expect(site.name == "number")
    #expect(site.file.hasSuffix("main.c") && site.line > 0)
    #expect(pool.dropped == 0)
    #expect(pool.isDetached)
  }

  @Test func liveThreadsHaveBlocksOfTheirOwn() throws {
    let session = try TestSession()
    let (status, records, dropped) = try Emitter.drained("threads", "64", "3000", in: session)
    #expect(status == 0)
    #expect(dropped == 0)
    let all = records.values.flatMap { $0 }
    let expected = Dictionary(uniqueKeysWithValues: (1...64).map { (UInt64($0), UInt64(3000)) })
    #expect(counts(all) == expected)
    for (_, own) in Dictionary(grouping: all, by: \.record.identity) {
      #expect(Set(own.map(\.thread)).count == 1 && own[0].thread != 0)
    }
  }

  // Between a thread's look at a free block and its claim, another may claim, fill and leave it.
  @Test func noBlockIsClaimedBeforeItIsTaken() throws {
    let scale = getenv("LIFETRACE_TEST_SCALE").flatMap { UInt64(String(cString: $0)) } ?? 1
    let each = 2_000_000 * scale
    let session = try TestSession()
    let emitter = try Emitter(["interrupted", "16", "\(each)"], in: session)
    var pool: Pool?
    var taken: UInt64 = 0
    var status: Int32?
    while true {
      let ended = status != nil
      pool = pool ?? session.pools().first
      taken += pool?.discard() ?? 0
      if ended { break }
      status = emitter.waitIfEnded()
      // Seldom, so that a block that was left stands unread for a while.
      usleep(2000)
    }
    #expect(status == 0)
    #expect(try taken + #require(pool).dropped == 16 * each)
  }

  // Nobody drains: what one thread leaves of its block, another fills.
  @Test func tenThousandShortThreadsTakeLittleMemory() throws {
    let session = try TestSession(poolBytesMax: 64 * UInt64(LT_BLOCK_BYTES))
    #expect(try Emitter.run("threads", "10000", "3", "16", in: session) == 0)
    let pool = try #require(session.pools().first)
    let records = pool.take()
    #expect(pool.dropped == 0)
    let counted = counts(records)
    #expect(counted.count == 10_000)
    #expect(counted.values.allSatisfy { $0 == 3 })
    let threads = Dictionary(grouping: records, by: \.record.identity)
      .mapValues { Set($0.map(\.thread)) }
    #expect(threads.values.allSatisfy { $0.count == 1 && !$0.contains(0) })
    #expect(Set(threads.values).count > 1000)
  }

  @Test func shortThreadsAreDrainedWhileTheyRun() throws {
    let session = try TestSession()
    let (status, records, dropped) = try Emitter.drained("threads", "2000", "50", "16", in: session)
    #expect(status == 0)
    #expect(dropped == 0)
    let counted = counts(records.values.flatMap { $0 })
    #expect(counted.count == 2000)
    #expect(counted.values.allSatisfy { $0 == 50 })
  }

  @Test func killedBetweenClockAndCommitLosesThatRecordOnly() throws {
    let session = try TestSession()
    let emitter = try Emitter(["split"], in: session)
    #expect(emitter.waitUntilStopped())
    let pool = try #require(session.pools().first)
    #expect(pool.take().isEmpty, "the clock was read, nothing was committed")
    emitter.kill(SIGCONT)
    #expect(emitter.wait() == 0)
    #expect(counts(pool.take()) == [0: 2])
  }

  @Test func killLosesNothingCommitted() throws {
    let session = try TestSession()
    let emitter = try Emitter(["aloud"], in: session)
    let bytes = emitter.read(8 * 4000)
    emitter.kill(SIGKILL)
    let said = (bytes.count + emitter.readAll().count) / 8
    #expect(emitter.wait() == 128 + SIGKILL)
    let pool = try #require(session.pools().first)
    let kept = try #require(counts(pool.take())[0])
    #expect(kept >= UInt64(said) && kept <= UInt64(said) + 1)
    #expect(!pool.isDetached)
  }
}
