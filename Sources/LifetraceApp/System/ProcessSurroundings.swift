// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
import LifetraceJSON
import Dispatch
import Glibc
package import LifetraceAppProtocol
import Synchronization

/// The world of an app that is a process of its own: real time, real threads, and a socket to the host.
///
/// Without a host (no `LIFETRACE_HOST`) nothing is reported; the app then launches itself into the
/// foreground and stays there.
package final class ProcessSurroundings: Surroundings {
  package let descriptor: Int32
  package let system: HostLine.Welcome
  private let lines = Mutex(LineBuffer())
  private let writing = Mutex(())

  /// Connects to the host and introduces the app, or goes without one.
  init(_ configuration: Application.Configuration) {
    signal(SIGPIPE, SIG_IGN)
    guard let path = getenv("LIFETRACE_HOST").map({ String(cString: $0) }),
      let socket = Self.connect(to: path)
    else {
      descriptor = -1
      system = HostLine.Welcome()
      return
    }
    let hello = AppMessage.Hello(
      app: configuration.bundleIdentifier,
      pid: getpid(),
      configuration: configuration.wire
    )
    Self.write(AppMessage.hello(hello).line, to: socket)
    descriptor = socket
    system = Self.welcome(from: socket, lines)
  }

  package var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  package var dataDirectory: String? { getenv("LIFETRACE_DATA").map { String(cString: $0) } }

  package func send(_ message: AppMessage) {
    guard descriptor >= 0 else { return }
    writing.withLock { _ in Self.write(message.line, to: descriptor) }
  }

  package func pause(nanoseconds: Int64) {
    var left = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000),
      tv_nsec: Int(nanoseconds % 1_000_000_000)
    )
    var rest = timespec()
    while nanosleep(&left, &rest) != 0 && errno == EINTR { left = rest }
  }

  package func enqueue(
    _ work: @escaping @Sendable () -> Void,
    on queue: WorkQueue,
    after delay: Int64
  ) {
    guard let dispatch = queue.dispatch else { return }
    if delay <= 0 {
      dispatch.async(execute: work)
    } else {
      dispatch.asyncAfter(
        deadline: .now() + .nanoseconds(Int(delay)),
        execute: work
      )
    }
  }

  package func endProcess() { exit(0) }

  /// The messages that have arrived, in order; when the host is gone, the app ends.
  func receive() -> [HostLine] {
    guard let bytes = Self.read(from: descriptor) else {
      exit(EX_UNAVAILABLE)
    }
    lines.withLock { $0.append(bytes) }
    return received()
  }

  /// What has arrived already, with the welcome.
  func received() -> [HostLine] {
    lines.withLock { buffer in
      var out: [HostLine] = []
      while let line = try? buffer.next() {
        if let json = try? JSON(parsing: line), let known = HostLine(line: json) {
          out.append(known)
        }
      }
      return out
    }
  }
}

extension ProcessSurroundings {
  private static func connect(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { return nil }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  /// Nil when the other side is gone.
  private static func read(from socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(socket, &bytes, bytes.count, 0)
      if count > 0 { return Array(bytes[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  private static func write(_ line: JSON, to socket: Int32) {
    let bytes = Array(line.text.utf8) + [0x0a]
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { sent += count } else if errno != EINTR { return }
    }
  }

  private static func welcome(from socket: Int32, _ lines: borrowing Mutex<LineBuffer>)
    -> HostLine.Welcome
  {
    while let bytes = read(from: socket) {
      let line = lines.withLock { buffer in
        buffer.append(bytes)
        return (try? buffer.next()).flatMap { $0 }.flatMap { try? JSON(parsing: $0) }
      }
      if let line, case .welcome(let welcome) = HostLine(line: line) { return welcome }
      if line != nil { break }
    }
    return HostLine.Welcome()
  }
}
#endif
