// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Support
import LifetracePlatform
import Drain
import TestThreads
import Testing

@Suite(.waits) struct ProcessTests {
  @Test func withoutASessionNothingIsLeftBehind() throws {
    #expect(try Emitter.run("numbers", "100", in: nil) == 0)
    let session = try TestSession()
    let elsewhere = ["LIFETRACE_SESSION": "\(session.directory)/none"]
    #expect(try Emitter.run("numbers", "100", in: nil, environment: elsewhere) == 0)
    #expect(session.pools().isEmpty)
  }

  @Test func environmentSaysWhoAProcessIs() throws {
    let session = try TestSession()
    let status = try Emitter.run(
      "numbers",
      "1",
      in: session,
      environment: [
        "LIFETRACE_APP": "com.example.notes", "LIFETRACE_ROLE": "extension",
        "LIFETRACE_REASON": "push",
        "LIFETRACE_PREVIOUS": "00000000000000010000000000000abc",
      ]
    )
    #expect(status == 0)
    let pool = try #require(session.pools().first)
    #expect(pool.app == "com.example.notes")
    #expect(pool.role == LT_ROLE_EXTENSION.rawValue)
    #expect(pool.reason == "push")
    #expect(pool.previous == (1, 0xabc))
  }

  @Test func aThreadThatIsCancelledAtItsFirstEventHoldsNothingUp() throws {
    let folder = try TestFolder()
    for story in [["cancel"], ["cancel", folder.file("draft.txt")]] {
      let session = try TestSession()
      let emitter = try Emitter(story, in: session)
      #expect(String(decoding: emitter.readAll(), as: UTF8.self) == "alive\n")
      #expect(emitter.wait() == 0)
    }
    // The save was whole before the thread ended.
    #expect(folder.names == ["draft.txt"])
    #expect(SmallFile.bytesIfReadable(folder.file("draft.txt")) == Array("whole".utf8))
  }

  @Test func withoutAnyNameTheAppIsItsExecutable() throws {
    let session = try TestSession()
    #expect(try Emitter.run("numbers", "1", in: session) == 0)
    let pool = try #require(session.pools().first)
    #expect(pool.app == "Emitter")
    #expect(pool.role == LT_ROLE_APP.rawValue)
  }

  // Eight children of a process whose other thread emits and interns without pause; `raw` makes
  // them behind the C library's back, so that no fork handler runs.
  @Test(arguments: [false, true])
  func forkChildIsAWriterOfItsOwn(raw: Bool) throws {
    let session = try TestSession(onFull: LT_ON_FULL_BLOCK, timeoutMilliseconds: 60_000)
    let (status, records, dropped) = try Emitter.drained("fork", raw ? "1" : "0", in: session)
    #expect(status == 0)
    #expect(dropped == 0)
    #expect(records.count == 9)
    var parents = 0
    for own in records.values {
      let counted = counts(own)
      if counted[1] != nil {
        parents += 1
        #expect(counted[1] == 100)
        #expect(counted[3] == nil)
      } else {
        #expect(counted == (raw ? [3: 50] : [3: 50, 4: 50]))
        #expect(own.filter { $0.record.identity == 3 }.allSatisfy { $0.thread == 0 })
      }
    }
    #expect(parents == 1)
  }

  @Test func execJoinsAnew() throws {
    let session = try TestSession()
    let environment = ["LIFETRACE_REASON": "icon"]
    #expect(try Emitter.run("exec", in: session, environment: environment) == 0)
    let pools = session.pools()
    #expect(pools.count == 2)
    #expect(Set(pools.map(\.pid)).count == 1)
    #expect(pools.map { $0.take().count }.sorted() == [10, 20])
    // Only the first image was launched for that reason.
    #expect(pools.map(\.reason).sorted() == ["", "icon"])
  }

  @Test func cProgramsSayEverythingThatSwiftOnesSay() throws {
    let session = try TestSession()
    #expect(try Emitter.run("tour", session.directory, in: session) == 0)
    let pool = try #require(session.pools().first)
    #expect(pool.app == "com.example.tour")
    #expect(pool.version == "1.2")
    let kinds = Set(pool.take().map(\.record.kind))
    let missing = TraceKinds.fromApps.filter { !kinds.contains($0.rawValue) }
    #expect(missing.isEmpty)
  }
}
