// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Testing

/// Every end of a process is of one kind: whom it blames.
@Suite struct EndKindTests {
  @Test(
    arguments: [
      ("watchdog", 0x8bad_f00d, .kill(0x8bad_f00d)), ("watchdog", 0x2182_bad2, .kill(0x2182_bad2)),
      ("deadlock", 0xdead_10cc, .kill(0xdead_10cc)), ("thermal", 0, .kill(0)),
      ("watch: used too much", 0xc51b_ad01, .kill(0xc51b_ad01)),
      ("locked-file", 0xdead_10cc, .kill(0xdead_10cc)), ("jetsam", 7, .kill(0)),
      // The way of life of apps, and the doing of users.
      ("purge", 9, .ordinary), ("jetsam", 4, .ordinary), ("jetsam", 17, .ordinary),
      ("user", 0xdead_fa11, .ordinary), ("user", 9, .ordinary), ("reboot", 9, .ordinary),
      ("exit", 3, .ordinary), ("system", 0, .ordinary), ("disk", 0xbadd_d15c, .ordinary),
      // That of the harness.
      ("harness", 9, .ordinary), ("recording ended", 9, .ordinary), ("crash", 11, .ordinary),
      ("signal", 2, .ordinary), ("signal", 3, .ordinary), ("signal", 1, .ordinary),
      ("signal", 9, .signal("SIGKILL")), ("signal", 15, .signal("SIGTERM")),
      ("signal", 77, .signal("signal 77")),
      ("signal", 4, .crash("SIGILL")), ("signal", 5, .crash("SIGTRAP")),
      ("signal", 6, .crash("SIGABRT")), ("signal", 7, .crash("SIGBUS")),
      ("signal", 8, .crash("SIGFPE")), ("signal", 11, .crash("SIGSEGV")),
      ("signal", 31, .crash("SIGSYS")), ("signal", 10, .signal("SIGUSR1")),
      ("signal", 13, .crash("SIGPIPE")), ("signal", 24, .crash("SIGXCPU")),
      ("signal", 25, .crash("SIGXFSZ")),
      ("unknown", 0, .unknown), ("", 0, .unknown),
    ] as [(String, UInt64, EndKind)]
  )
  func onLinux(cause: String, code: UInt64, kind: EndKind) {
    #expect(EndKind(cause: cause, code: code, isImported: false) == kind)
  }

  @Test(
    arguments: [
      ("signal", 10, .crash("SIGBUS")), ("signal", 12, .crash("SIGSYS")),
      ("signal", 11, .crash("SIGSEGV")), ("signal", 9, .signal("SIGKILL")),
      ("crash", 0, .crash("")),
    ] as [(String, UInt64, EndKind)]
  )
  func inALogOfADevice(cause: String, code: UInt64, kind: EndKind) {
    #expect(EndKind(cause: cause, code: code, isImported: true) == kind)
  }
}
