// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
@testable import LifetraceProcessWorld
import Support
import TestThreads
import Testing

/// An app that the machine gives no processor is told from one that has nothing to do.
@Suite("Threads that are ready to run", .serialized, .waits)
struct ReadyThreadsTests {
  /// A process of the shell, which ends with this.
  private final class Running {
    let pid: Int32

    init(_ command: String) throws {
      let words = ["sh", "-c", "exec \(command)"]
      var strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
      strings.append(nil)
      defer { for string in strings { free(string) } }
      var request = cplatform_spawn_request()
      request.group = -1
      request.standard = (-1, -1, -1)
      var stage: Int32 = 0
      pid = strings.withUnsafeBufferPointer { strings in
        request.arguments = strings.baseAddress
        request.environment = UnsafePointer(environ)
        return cplatform_spawn(&request, &stage)
      }
      try #require(pid > 0)
    }

    deinit {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }

    /// Until it is that program: before, it is those that it was started through.
    func wait(for name: String) throws {
      for _ in 0..<60_000 where Golden.proc("\(pid)/comm") != name + "\n" { usleep(1_000) }
      try #require(Golden.proc("\(pid)/comm") == name + "\n")
    }
  }

  /// The first processor that this process may have.
  private static let processor: Substring = {
    let status = Golden.proc("self/status") ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") } ?? ""
    return line.drop { !$0.isNumber }.prefix { $0.isNumber }
  }()

  @Test("One that gets no processor waits for it")
  func starves() throws {
    // Both on one processor, of which the first takes what there is.
    let greedy = try Running("taskset -c \(Self.processor) yes >/dev/null")
    try greedy.wait(for: "yes")
    let starved = try Running("taskset -c \(Self.processor) chrt --idle 0 yes >/dev/null")
    try starved.wait(for: "yes")
    var ready = ReadyThreads()
    let looks = try (1...8).map { _ in
      defer { usleep(50_000) }
      return ready.waitForProcessor(of: starved.pid, at: try time())
    }
    #expect(looks.allSatisfy { $0 }, "\(looks)")
  }

  @Test("One that sleeps waits for none")
  func sleeps() throws {
    let asleep = try Running("sleep 1000")
    try asleep.wait(for: "sleep")
    var ready = ReadyThreads()
    // It is on its way to sleep.
    while ready.waitForProcessor(of: asleep.pid, at: try time()) { usleep(1_000) }
    for _ in 1...8 {
      #expect(!ready.waitForProcessor(of: asleep.pid, at: try time()))
      usleep(1_000)
    }
  }

  private func time() throws -> Int64 {
    var now = timespec()
    try #require(clock_gettime(CLOCK_MONOTONIC, &now) == 0)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
