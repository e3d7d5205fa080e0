// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceRecorder
import LifetraceTrace

/// The clock, the limits of this process, and what stands on the desk.
enum DeskTrials {
  static func clock() -> Finding {
    guard cplatform_counter_is_stable() == 1 else {
      return .limited(
        "clock",
        "the counter of this processor does not run at a constant rate",
        without:
          "events are stamped by the kernel's clock, which costs each some tens of nanoseconds",
        mend: "on a virtual machine, have its host pass the invariant TSC on"
      )
    }
    let width = cplatform_read_clocks().width
    return .good("clock", "a constant counter, read to within \(Quantity.grouped(width)) ticks")
  }

  /// The library of `record --observe` is put before a program, as a recording does it.
  static func observer() -> Finding {
    func limited(_ seen: String, _ mend: String) -> Finding {
      .limited("observe", seen, without: "`record --observe` is not to be had", mend: mend)
    }
    guard let library = Observation.findLibrary() else {
      return limited(
        "\(Observation.libraryName) is at neither of \(Observation.places.joined(separator: ", "))",
        "put it beside lifetrace; from the sources: swift build --product LifetraceObserve"
      )
    }
    guard let program = Executable.find("true") else {
      return .good("observe", "\(library), not tried: there is no program `true`")
    }
    guard let said = said(by: program, preloading: library) else {
      return limited("\(program) could not be started: \(errnoText(errno))", "")
    }
    return said.isEmpty
      ? .good("observe", "\(library) was loaded into \(program)")
      : limited(said, "take the library of the same release, and for this C library")
  }

  /// What the dynamic linker says on standard error; empty where all is well.
  private static func said(by program: String, preloading library: String) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    let words = [strdup(program), nil]
    let variables = [strdup("LD_PRELOAD=\(library)"), nil]
    defer { for word in words + variables { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    var pid: pid_t = 0
    let problem = posix_spawn(&pid, program, &actions, nil, words, variables)
    close(ends[1])
    guard problem == 0 else {
      errno = problem
      return nil
    }
    let text = SmallFile.lineIfReadable("/proc/self/fd/\(ends[0])") ?? ""
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    return text
  }

  /// Fewer open files than this are soon used up: each recorded process takes some.
  private static let filesMin: rlim_t = 1024

  static func limits() -> Finding {
    var files = rlimit()
    var size = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &size)
    func words(_ limit: rlimit) -> String {
      limit.rlim_cur == rlim_t.max ? "unlimited" : Quantity.grouped(limit.rlim_cur)
    }
    let seen = "open files \(words(files)), bytes of a file \(words(size))"
    guard files.rlim_cur >= filesMin, size.rlim_cur == rlim_t.max else {
      return .limited(
        "limits",
        seen,
        without: "many processes at once are not all followed, or a recording ends at that size",
        mend: "ulimit -n 4096; ulimit -f unlimited"
      )
    }
    // A crash is told from what the runtime prints.
    return .good("limits", seen + "; core dumps are not needed")
  }

  static func terminal() -> Finding {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      return .good("terminal", "none here: replay reads its commands from standard input")
    }
    let kind = environment("TERM") ?? ""
    guard !kind.isEmpty, kind != "dumb" else {
      return .limited(
        "terminal",
        "TERM is \(kind.isEmpty ? "not set" : kind)",
        without: "replay has no colours, and lines are not edited as one is used to",
        mend: "export TERM=xterm-256color"
      )
    }
    return .good("terminal", kind)
  }

  private static let browsers = [
    "chromium", "chromium-browser", "google-chrome", "firefox", "xdg-open",
  ]

  static func browser() -> Finding {
    if let path = browsers.lazy.compactMap({ Executable.find($0) }).first {
      return .good("browser", path)
    }
    return .limited(
      "browser",
      "none of \(browsers.joined(separator: ", ")) is on the PATH",
      without: "pages are not opened from here; each is one file, for a browser anywhere",
      mend: "optional: apt-get install chromium"
    )
  }
}
