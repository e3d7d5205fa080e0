// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetracePlatform
import LifetraceTrace

/// This program run once more, as a user would run it, with what it says.
enum SelfRun {
  /// More output than this is cut.
  private static let outputMax = 4 << 20

  /// Waits for its end; Ctrl-C reaches it, as it is in the same process group.
  static func answer(to words: [String]) -> ProgramAnswer {
    var ends: [[Int32]] = [[-1, -1], [-1, -1]]
    for index in ends.indices where pipe(&ends[index]) != 0 {
      return ProgramAnswer(output: "", complaint: "no pipe: \(errnoText(errno))", code: 125)
    }
    for end in ends.joined() { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0][1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1][1], STDERR_FILENO)
    let arguments = (["lifetrace"] + words).map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let problem = posix_spawn(&pid, Executable.path, &actions, nil, arguments + [nil], environ)
    for pair in ends { close(pair[1]) }
    defer { for pair in ends { close(pair[0]) } }
    guard problem == 0 else {
      return ProgramAnswer(output: "", complaint: errnoText(problem), code: 125)
    }
    let texts = read(ends.map { $0[0] })
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return ProgramAnswer(
      output: texts[0],
      complaint: texts[1],
      code: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    )
  }

  /// All that comes out of the pipes, each to its end.
  private static func read(_ pipes: [Int32]) -> [String] {
    var texts = pipes.map { _ in [UInt8]() }
    var polled = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while polled.contains(where: { $0.fd >= 0 }) {
      guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
        if errno == EINTR { continue }
        break
      }
      for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
        let count = LifetracePlatform.read(polled[index].fd, &buffer, buffer.count)
        if count <= 0 {
          polled[index].fd = -1
        } else if texts[index].count < outputMax {
          texts[index] += buffer[..<count]
        }
      }
    }
    return texts.map { String(decoding: $0, as: UTF8.self) }
  }
}
