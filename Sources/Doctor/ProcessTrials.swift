// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// What can be learned of processes here, and done to them; each is tried on a child of this one.
enum ProcessTrials {
  static func run() -> [Finding] {
    guard let child = StillChild() else {
      let seen = "no process can be started: \(errnoText(errno))"
      return [.missing("stop", seen, without: "nothing can be recorded", mend: "raise ulimit -u")]
    }
    return [stop(child), stacks(child), kernelEvents()] + pidfd(child)
  }

  /// The child stands still afterwards.
  private static func stop(_ child: StillChild) -> Finding {
    kill(child.pid, SIGSTOP)
    guard child.waits(for: CPLATFORM_STOPPED) else {
      return .missing(
        "stop",
        "a child that was sent SIGSTOP was not seen to stand still",
        without: "apps of scenarios are not really suspended",
        mend: "no cure is known: the kernel, or what stands in its place, lacks job control"
      )
    }
    return .good("stop", "a child was stopped, and seen to stand still")
  }

  private static func stacks(_ child: StillChild) -> Finding {
    var found: UInt64 = 0
    let place = UInt64(UInt(bitPattern: child.mark))
    let count = cplatform_read_memory(child.pid, place, &found, 8)
    let call = SmallFile.lineIfReadable("/proc/\(child.pid)/syscall")
    guard count == 8, found == StillChild.markValue, call != nil else {
      return .limited(
        "stacks",
        "the memory of a child cannot be read",
        without:
          "where an app was when the watchdog ended it is told by its call of the system at most",
        mend: "sysctl kernel.yama.ptrace_scope=1; in a container --cap-add SYS_PTRACE"
      )
    }
    return .good("stacks", "the memory and the present call of a child can be read")
  }

  private static func kernelEvents() -> Finding {
    func limited(_ seen: String) -> Finding {
      .limited(
        "kernel events",
        seen,
        without:
          "processes that do not link the SDK are looked for every 20 ms; shorter ones are missed",
        mend: "record outside of containers, as root or with Linux 6.6; CAP_NET_ADMIN may be needed"
      )
    }
    let socket = cplatform_proc_events_open(1 << 18)
    guard socket >= 0 else {
      return limited("the kernel does not report processes to this one: \(errnoText(errno))")
    }
    defer { close(socket) }
    guard let child = StillChild() else { return limited(errnoText(errno)) }
    let limit = cplatform_monotonic() + 1_000_000_000
    var events = [cplatform_proc_event](repeating: cplatform_proc_event(), count: 64)
    repeat {
      let count = Int(cplatform_proc_events_read(socket, &events, Int32(events.count)))
      if events.prefix(max(0, count)).contains(where: { $0.pid == child.pid }) {
        return .good("kernel events", "the kernel has reported the start of a child")
      }
      if count <= 0 { usleep(500) }
    } while cplatform_monotonic() < limit
    return limited("the kernel agreed to report processes, and did not report a child")
  }

  /// The end of a process that is somebody else's child; the child is gone afterwards.
  private static func pidfd(_ child: StillChild) -> [Finding] {
    let descriptor = cplatform_pidfd_open(child.pid)
    guard descriptor >= 0 else {
      return [
        .limited(
          "pidfd",
          "a process has no descriptor here: \(errnoText(errno))",
          without: "ends of processes are noticed by looking for them, some milliseconds late",
          mend: "Linux 5.3; in a container a newer engine, whose seccomp profile permits pidfd_open"
        )
      ]
    }
    defer { close(descriptor) }
    _ = cplatform_pidfd_send_signal(descriptor, SIGKILL)
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let isSeen = poll(&polled, 1, 1_000) == 1
    _ = child.waits(for: CPLATFORM_SIGNALED)
    var status: Int32 = 0
    let isTold =
      cplatform_pidfd_exit_status(descriptor, &status) == 0 && status & 0x7f == SIGKILL
    return [
      isSeen
        ? .good("pidfd", "a child was killed through its descriptor, which said so")
        : .limited(
          "pidfd",
          "the descriptor of a child that was killed did not say so",
          without: "ends of processes are noticed by looking for them, some milliseconds late",
          mend: "Linux 5.3"
        ),
      isTold
        ? .good(
          "exit cause",
          "the kernel tells what ended a process that is no child (PIDFD_GET_INFO)"
        )
        : .limited(
          "exit cause",
          "the kernel does not tell what ended a process that is no child: \(errnoText(errno))",
          without: "what ended a process that the recorder has not started may stay unknown",
          mend: "Linux 6.15, which has PIDFD_GET_INFO"
        ),
    ]
  }
}
