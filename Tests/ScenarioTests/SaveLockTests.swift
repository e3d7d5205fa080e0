// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import Support
import Testing

/// The lock with which a save of the SDK says that it lives is none that others wait for: the app is not
/// killed for it.
@Suite("Locks of saves")
struct SaveLockTests {
  @Test("A save under way at the suspension holds no shared lock")
  func temporary() throws {
    let folder = try TestFolder()
    for (name, isShared) in [("draft.txt.saving-0", false), ("draft.txt", true)] {
      let file = open(folder.file(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(file) }
      #expect(flock(file, LOCK_EX) == 0)
      #expect((SharedLocks.held(by: getpid(), below: folder.path) != nil) == isShared, "\(name)")
    }
  }
}
