// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import Support
import TestThreads
import Testing

/// Which locks the system kills for, with real databases of a real process.
@Suite("Locks in a shared container", .waits)
struct SharedLockKindTests {
  /// What a process does with `path`, and how its lock is called; nil for one that does no harm.
  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    var code: String
    var kind: String?
    var testDescription: String { what }
  }

  private static let connect = "import sqlite3; db = sqlite3.connect(path, isolation_level=None); "
  private static let wal =
    connect
    + "db.execute('pragma journal_mode=wal'); db.execute('create table t(a)'); "
  private static let rollback =
    connect
    + "db.execute('pragma journal_mode=delete'); db.execute('create table t(a)'); "
  private static let transaction = "an open SQLite transaction"

  static let cases: [Case] = [
    Case(what: "an idle database, write-ahead log", code: wal),
    Case(what: "an idle database, rollback journal", code: rollback),
    Case(
      what: "writing, write-ahead log",
      code: wal + "db.execute('begin immediate'); db.execute('insert into t values(1)')",
      kind: transaction
    ),
    Case(
      what: "reading, write-ahead log",
      code: wal + "db.execute('insert into t values(1)'); db.execute('begin'); "
        + "db.execute('select * from t').fetchall()",
      kind: transaction
    ),
    Case(
      what: "after a transaction, write-ahead log",
      code: wal + "db.execute('begin immediate'); db.execute('insert into t values(1)'); "
        + "db.execute('commit')"
    ),
    Case(
      what: "alone with the database, write-ahead log",
      code: wal + "db.execute('pragma locking_mode=exclusive'); "
        + "db.execute('insert into t values(1)')",
      kind: transaction
    ),
    Case(
      what: "writing, rollback journal",
      code: rollback + "db.execute('begin immediate')",
      kind: transaction
    ),
    Case(
      what: "reading, rollback journal",
      code: rollback + "db.execute('insert into t values(1)'); db.execute('begin'); "
        + "db.execute('select * from t').fetchall()",
      kind: transaction
    ),
    Case(
      what: "flock of a plain file",
      code: "import fcntl; f = open(path, 'w'); fcntl.flock(f, fcntl.LOCK_EX)",
      kind: "flock"
    ),
    Case(
      what: "a POSIX lock of a plain file",
      code: "import fcntl; f = open(path, 'w'); fcntl.lockf(f, fcntl.LOCK_EX)",
      kind: "a POSIX lock"
    ),
    Case(what: "an open plain file", code: "f = open(path, 'w')"),
    Case(
      what: "flock of a companion of a database",
      code: "import fcntl; f = open(path + '-journal', 'w'); fcntl.flock(f, fcntl.LOCK_EX)"
    ),
    Case(
      what: "flock of a file that is exempt",
      code: "import fcntl, os; f = open(path, 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
        + "os.setxattr(path, 'user.com.apple.runningboard.can-suspend-locked', b'1')"
    ),
  ]

  @Test("What blocks others counts, what is merely open does not", arguments: cases)
  func counts(_ one: Case) throws {
    let folder = try TestFolder()
    let group = folder.path
    let process = try Interpreter("path = '\(group)/shared.db'; \(one.code)")
    defer { process.end() }
    let lock = SharedLocks.held(by: process.pid, below: group)
    #expect(lock?.kind == one.kind)
    if one.kind != nil { #expect(lock?.path == "\(group)/shared.db") }
    // Elsewhere it is nobody's business.
    #expect(SharedLocks.held(by: process.pid, below: group + "/other") == nil)
  }

  @Test("To look at a database of this process leaves its locks as they are")
  func ownLocksStay() throws {
    let folder = try TestFolder()
    let path = folder.path + "/shared.db"
    let maker = try Interpreter("path = '\(path)'; \(Self.rollback)db.close()")
    maker.end()
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    #expect(fcntl(file, F_SETLK, &lock) == 0)
    for _ in 1...2 {
      #expect(SharedLocks.held(by: getpid(), below: folder.path)?.kind == Self.transaction)
    }
  }
}

/// A Python process that has done what it was given, and waits.
private struct Interpreter {
  let pid: Int32
  private let input: Int32

  private struct Failed: Error { var said: String }

  init(_ code: String) throws {
    var toIt: [Int32] = [0, 0]
    var fromIt: [Int32] = [0, 0]
    guard pipe(&toIt) == 0, pipe(&fromIt) == 0 else { throw Failed(said: "no pipe") }
    for end in toIt + fromIt { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toIt[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromIt[1], 1)
    let text = "import sys\n\(code)\nimport os\nos.write(1, b'done\\n')\nsys.stdin.read()"
    let words: [UnsafeMutablePointer<CChar>?] = [
      strdup("python3"), strdup("-c"), strdup(text), nil,
    ]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let failure = posix_spawnp(&pid, "python3", &actions, nil, words, environ)
    close(toIt[0])
    close(fromIt[1])
    defer { close(fromIt[0]) }
    guard failure == 0 else { throw Failed(said: String(cString: strerror(failure))) }
    (self.pid, input) = (pid, toIt[1])
    var answer = [UInt8](repeating: 0, count: 64)
    let count = read(fromIt[0], &answer, answer.count)
    let said = String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    guard said == "done\n" else {
      end()
      throw Failed(said: said)
    }
  }

  /// Its input may stay open in a process that another test has started meanwhile.
  func end() {
    close(input)
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}
