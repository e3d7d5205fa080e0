// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Testing

/// A running `lifetrace record`, the built program, with its sessions in a directory of the test.
struct Front {
  let pid: Int32

  init(
    _ arguments: [String],
    sessionsIn directory: String,
    input: Int32 = -1,
    output: Int32 = -1,
    errors: Int32 = -1,
    through wrapper: [String] = [],
    environment more: [[UInt8]] = []
  ) throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let command = wrapper + [Recording.products + "/lifetrace", "record"] + arguments
    var strings = command.map { strdup($0) }
    strings.append(nil)
    let kept = ["PATH", "HOME"].compactMap { name in environment(name).map { "\(name)=\($0)" } }
    var variables = (["XDG_RUNTIME_DIR=\(directory)"] + kept).map { strdup($0) }
    variables += more.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) }
    variables.append(nil)
    defer { for string in strings + variables { free(string) } }
    var request = cplatform_spawn_request()
    request.group = 0
    request.standard = (
      input < 0 ? null : input, output < 0 ? null : output, errors < 0 ? null : errors
    )
    var stage: Int32 = 0
    pid = strings.withUnsafeBufferPointer { strings in
      variables.withUnsafeBufferPointer { variables in
        request.arguments = strings.baseAddress
        request.environment = variables.baseAddress
        return cplatform_spawn(&request, &stage)
      }
    }
    try #require(pid > 0)
  }

  /// Polls until it holds, for a minute at most.
  static func wait(until holds: () -> Bool) {
    for _ in 0..<60_000 {
      if holds() { return }
      usleep(1_000)
    }
  }

  /// The recorder's process, once it is there; nil where the front has ended meanwhile.
  var recorder: Int32? {
    var child: Int32?
    Self.wait {
      child = ProcFS.children(of: pid).first
      return child != nil || hasEnded
    }
    return child
  }

  private var hasEnded: Bool {
    var facts = siginfo_t()
    let result = waitid(P_PID, id_t(pid), &facts, WEXITED | WNOHANG | WNOWAIT)
    return result == 0 && facts.si_signo == SIGCHLD
  }

  /// The front reaps it, and with that its locks are gone.
  func waitUntilRecorderIsGone(_ recorder: Int32) {
    while kill(recorder, 0) == 0 { usleep(500) }
  }

  /// The exit code, 128 + N for a signal.
  func wait() -> Int32 {
    var result = cplatform_wait_result()
    _ = cplatform_wait(pid, 0, 0, 1, &result)
    return result.change == Int32(bitPattern: CPLATFORM_EXITED.rawValue)
      ? result.value : 128 + result.value
  }
}
