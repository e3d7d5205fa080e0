// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Fuzzing
import Glibc
import Support

/// Runs inputs of one target in child processes and follows up what goes wrong.
struct Hunt {
  /// Faults of one target that are followed up.
  static let faultsMax = 20

  private let fuzz: Fuzz
  private let options: Options
  /// Shared with the children: the index they are at.
  private let progress: UnsafeMutablePointer<Int>

  init(_ target: Fuzz.Target, _ options: Options) {
    fuzz = Fuzz(target, seed: options.seed)
    self.options = options
    let size = MemoryLayout<Int>.stride
    let shared = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    guard let shared, shared != MAP_FAILED else { fatalError("out of memory") }
    progress = shared.bindMemory(to: Int.self, capacity: 1)
  }

  /// How many faults there were.
  func run() -> Int {
    var faults = 0
    var next = options.first
    let end = options.first + options.count
    let start = cplatform_monotonic()
    while next < end, faults < Self.faultsMax {
      let from = next
      let status = child {
        for index in from..<end {
          progress.pointee = index
          Self.limitTime()
          guard fuzz.run(fuzz.input(index)) == nil else { return 1 }
        }
        progress.pointee = end
        return 0
      }
      guard status != 0 else { break }
      faults += 1
      let index = progress.pointee
      report(index, status)
      next = index + 1
    }
    let seconds = Double(cplatform_monotonic() - start) / 1e9
    let done = faults < Self.faultsMax ? options.count : next - options.first
    print(
      "\(fuzz.target.rawValue): seed \(options.seed), \(done) inputs in \(Int(seconds)) s, "
        + "\(faults) faults"
    )
    return faults
  }

  private func report(_ index: Int, _ status: Int32) {
    let target = fuzz.target.rawValue
    let input = fuzz.input(index)
    print(
      "\(target): seed \(options.seed) index \(index): \(Self.words(status)), \(input.count) bytes"
    )
    let small = minimal(input, status)
    let path = "/tmp/lifetrace-fuzz-\(target)-\(options.seed)-\(index)"
    try? TestFile.write(small, to: path)
    let shown = small.prefix(160).map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
    }
    print("  \(small.count) bytes suffice: \(shown.joined())")
    print("  again: fuzz --target \(target) --input \(path)")
  }

  /// Leaves out what can be left out, in ever smaller pieces.
  private func minimal(_ input: [UInt8], _ status: Int32) -> [UInt8] {
    var best = input
    var size = max(1, input.count / 2)
    var tries = 0
    while tries < 2_000 {
      var at = 0
      while at < best.count, tries < 2_000 {
        var candidate = best
        candidate.removeSubrange(at..<min(best.count, at + size))
        tries += 1
        let result = child {
          Self.limitTime()
          return fuzz.run(candidate) == nil ? 0 : 1
        }
        if result == status { best = candidate } else { at += size }
      }
      if size == 1 { break }
      size /= 2
    }
    return best
  }

  /// Runs `body` in a child with the memory limit; its wait status.
  private func child(_ body: () -> Int32) -> Int32 {
    fflush(nil)
    let pid = cplatform_fork()
    if pid == 0 {
      var limit = rlimit(
        rlim_cur: rlim_t(Fuzz.memoryBytesMax),
        rlim_max: rlim_t(Fuzz.memoryBytesMax)
      )
      setrlimit(__rlimit_resource_t(9), &limit)
      var core = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(4), &core)
      // A crash is told by its status; its backtrace would only be noise.
      close(STDERR_FILENO)
      _exit(body())
    }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Ends this process when an input takes longer than it may.
  ///
  /// Its own time counts, so that a busy machine is not taken for a hang; the alarm is for an
  /// input that waits for something.
  private static func limitTime() {
    let seconds = time_t(Fuzz.secondsMax)
    var limit = itimerval(
      it_interval: timeval(tv_sec: 0, tv_usec: 0),
      it_value: timeval(tv_sec: seconds, tv_usec: 0)
    )
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
    alarm(UInt32(30 * seconds))
  }

  private static func words(_ status: Int32) -> String {
    let signal = status & 0x7F
    if signal == SIGPROF { return "takes more than \(Fuzz.secondsMax) s" }
    if signal == SIGALRM { return "hangs" }
    if signal != 0 { return "killed by signal \(signal)" }
    return "breaks an invariant"
  }
}
