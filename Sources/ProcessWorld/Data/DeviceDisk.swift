// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetraceScenario
import LifetraceRecorder
import LifetracePlatform

/// The disk of the device under test: unsynced writes go with the power.
///
///     let disk = try DeviceDisk(bytes: 32 << 20, of: recorder)
///     disk.cut()              // from here on every access fails
///     try disk.restart()      // what was synced is there
///
/// It is an ext4 in a file without a name, on a loop device, mounted for the thread that launches
/// and for what it starts, and for no other process: mount and loop device vanish with the last of
/// them, whichever was killed. Where that is not permitted it is a plain directory, and
/// ``whyPlain`` says why.
final class DeviceDisk {
  let directory: String
  /// Why unsynced writes survive a reboot here; nil where they do not.
  private(set) var whyPlain: String?
  private let recorder: Recorder
  /// What the disk is made of, while it is a real one.
  private var image: Int32 = -1

  /// So long a disk may be in use by processes that are being killed.
  private static let patience: Int64 = 5_000_000_000
  private static let tools = ["mkfs.ext4", "/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"]

  init(bytes: Int, of recorder: Recorder) throws(HostError) {
    self.recorder = recorder
    directory = recorder.sessionDirectory + "/" + SessionDirectory.disk
    guard mkdir(directory, 0o700) == 0 else {
      throw HostError("cannot make \(directory): \(errnoText(errno))")
    }
    do throws(HostError) {
      try make(bytes)
    } catch {
      if image >= 0 { LifetracePlatform.close(image) }
      image = -1
      whyPlain = error.description
    }
  }

  /// What becomes of writes that were not synced, for the trace.
  var text: String {
    whyPlain.map { "a directory; unsynced writes survive a reboot (\($0))" }
      ?? "ext4; unsynced writes are lost at a reboot"
  }

  private func make(_ bytes: Int) throws(HostError) {
    let privacy = recorder.whereLaunched { cplatform_private_mounts() == 0 ? 0 : errno }
    guard privacy == 0 else {
      throw HostError("mounting is not permitted: \(errnoText(privacy ?? 0))")
    }
    image = try Self.makeImage(bytes, in: [recorder.sessionDirectory] + Self.places)
    guard Self.format("/proc/\(getpid())/fd/\(image)") else {
      throw HostError("mkfs.ext4 is missing: install e2fsprogs")
    }
    // The two bytes that every ext4 has there.
    var magic: UInt16 = 0
    guard pread(image, &magic, 2, 1080) == 2, UInt16(littleEndian: magic) == 0xef53 else {
      throw HostError("mkfs.ext4 did not make a file system of \(bytes) bytes")
    }
    try mount()
    let lost = directory + "/lost+found"
    _ = recorder.whereLaunched { rmdir(lost) }
  }

  /// A file without a name, in the first place that has room for all of it.
  private static func makeImage(_ bytes: Int, in places: [String]) throws(HostError) -> Int32 {
    for place in places {
      var facts = statvfs()
      guard statvfs(place, &facts) == 0,
        UInt64(facts.f_bavail) * UInt64(facts.f_frsize) >= UInt64(bytes)
      else { continue }
      let path = "\(place)/lifetrace-disk-\(getpid())-\(UInt64.random(in: 0 ... .max))"
      let image = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard image >= 0 else { continue }
      unlink(path)
      if ftruncate(image, off_t(bytes)) == 0 { return image }
      LifetracePlatform.close(image)
    }
    throw HostError("no room for \(bytes) bytes in " + places.joined(separator: ", "))
  }

  /// Where the disk is kept when the session's place is too small for it.
  private static var places: [String] {
    [environment("TMPDIR"), "/tmp", "/var/tmp"].compactMap { $0 }
  }

  private func mount() throws(HostError) {
    let (image, directory) = (self.image, self.directory)
    let outcome = recorder.whereLaunched { () -> (stage: Int32, errno: Int32) in
      var stage: Int32 = 0
      return cplatform_disk_mount(image, directory, &stage) == 0 ? (0, 0) : (stage, errno)
    }
    guard let outcome, outcome.stage != 0 else { return }
    let what =
      UInt32(bitPattern: outcome.stage) == CPLATFORM_DISK_LOOP.rawValue
      ? "there is no loop device" : "ext4 cannot be mounted"
    throw HostError("\(what): \(errnoText(outcome.errno))")
  }

  /// Runs mkfs; false where there is none.
  private static func format(_ path: String) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    for tool in tools {
      let arguments = [tool, "-q", "-F", "-E", "nodiscard,lazy_itable_init=1", path]
      let words = arguments.map { strdup($0) }
      defer { for word in words { free(word) } }
      var pid: pid_t = 0
      guard posix_spawnp(&pid, tool, &actions, nil, words + [nil], environ) == 0 else { continue }
      // This returns when it has ended, whichever process waits for it; the disk itself shows how.
      while waitpid(pid, nil, 0) < 0, errno == EINTR {}
      return true
    }
    return false
  }

  /// Makes a folder on it that is there after a power cut too.
  func makeFolder(_ name: String) throws(HostError) -> String {
    let (directory, path) = (self.directory, self.directory + "/" + name)
    let error = recorder.whereLaunched { () -> Int32 in
      guard mkdir(path, 0o700) == 0 else { return errno }
      let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { LifetracePlatform.close(parent) }
      return fsync(parent) == 0 ? 0 : errno
    }
    guard error == 0 else { throw HostError("cannot make \(path): \(errnoText(error ?? 0))") }
    return path
  }

  /// Takes the power away.
  func cut() {
    guard whyPlain == nil else { return }
    let directory = self.directory
    _ = recorder.whereLaunched { cplatform_disk_cut(directory) }
  }

  /// The power is back, and no process lives that had files open.
  func restart() throws(HostError) {
    guard whyPlain == nil else { return }
    let (directory, limit) = (self.directory, cplatform_monotonic() + Self.patience)
    let error = recorder.whereLaunched { () -> Int32 in
      while cplatform_disk_unmount(directory, 0) != 0 {
        guard errno == EBUSY, cplatform_monotonic() < limit else { return errno }
        usleep(1_000)
      }
      return 0
    }
    if let error, error != 0 {
      throw HostError("the disk cannot be unmounted after the power cut: \(errnoText(error))")
    }
    try mount()
  }

  /// Removes it; a directory goes with the session.
  func close() {
    guard image >= 0 else { return }
    let directory = self.directory
    _ = recorder.whereLaunched { cplatform_disk_unmount(directory, 1) }
    LifetracePlatform.close(image)
    image = -1
  }
}
