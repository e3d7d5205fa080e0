// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
package import LifetraceScenario
package import LifetraceAppProtocol
import LifetracePlatform

/// The host's end of the wire to one launch of one app: it listens, takes one peer, and never blocks.
///
/// Each launch has a path of its own, so that the speaker is known without trusting its words.
/// Input from a flooding peer is read in portions; output that it does not read is dropped when it
/// grows beyond a limit.
package final class AppSocket {
  package let path: String
  private let listener: Int32
  private(set) var peer: Int32 = -1
  /// The process that has connected; 0 while there is none, or where the system does not say.
  private(set) var peerPID: Int32 = 0
  private var buffer = LineBuffer()
  private var unsent: [UInt8] = []
  /// Lines have arrived that were not handed on yet.
  package private(set) var hasLines = false
  /// Lines of one portion that are handed on; the rest waits its turn.
  package static let linesMax = 256
  /// More than this that a peer leaves unread is a peer that does not read.
  package static let unsentBytesMax = 4 << 20

  /// What one reading gave.
  package enum Input {
    case lines([ArraySlice<UInt8>])
    /// A line without end: the peer is not to be listened to any more.
    case overlong
    case closed
  }

  package init(path: String) throws(HostError) {
    self.path = path
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw HostError("the path of the host's socket is too long: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    listener = socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard listener >= 0, bound == 0, chmod(path, 0o600) == 0, listen(listener, 1) == 0 else {
      // The descriptor is closed by deinit, which follows: everything is set.
      throw HostError("cannot listen at \(path): \(errnoText(errno))")
    }
  }

  deinit {
    close(listener)
    if peer >= 0 { close(peer) }
    unlink(path)
  }

  /// What to wait on.
  package var descriptor: Int32 { peer >= 0 ? peer : listener }
  package var hasUnsent: Bool { !unsent.isEmpty }

  /// Takes the first peer, and none after it.
  package func accept() {
    guard peer < 0 else { return }
    let taken = LifetracePlatform.accept(listener, nil, nil)
    guard taken >= 0 else { return }
    _ = fcntl(taken, F_SETFD, FD_CLOEXEC)
    _ = fcntl(taken, F_SETFL, O_NONBLOCK)
    peer = taken
    // As `struct ucred`: the process, its user, its group.
    var (credentials, size) = ((Int32(0), UInt32(0), UInt32(0)), socklen_t(12))
    let isKnown = getsockopt(taken, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
    peerPID = isKnown ? credentials.0 : 0
  }

  /// At most ``linesMax`` lines; while ``hasLines`` there are more, and the peer waits for its next turn.
  package func read() -> Input {
    var isClosed = false
    if !hasLines {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(peer, &bytes, bytes.count, 0)
      if count < 0 && (errno == EAGAIN || errno == EINTR) { return .lines([]) }
      isClosed = count <= 0
      if count > 0 { buffer.append(bytes[..<count]) }
    }
    if isClosed { return .closed }
    hasLines = false
    var lines: [ArraySlice<UInt8>] = []
    do {
      while let line = try buffer.next() {
        lines.append(line)
        hasLines = lines.count == Self.linesMax
        if hasLines { break }
      }
    } catch {
      hasLines = !lines.isEmpty
      return hasLines ? .lines(lines) : .overlong
    }
    return .lines(lines)
  }

  /// Stops listening to this peer; the process itself goes on.
  package func hangUp() {
    if peer >= 0 { close(peer) }
    peer = -1
  }

  package func send(_ line: HostLine) {
    guard peer >= 0 else { return }
    unsent += Array(line.line.text.utf8) + [0x0a]
    flush()
    // Half a line may be on its way: what follows would be read as part of it.
    if unsent.count > Self.unsentBytesMax { hangUp() }
  }

  package func flush() {
    while !unsent.isEmpty, peer >= 0 {
      let count = unsent.withUnsafeBytes {
        LifetracePlatform.send(
          peer,
          $0.baseAddress,
          $0.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        )
      }
      if count <= 0 { return }
      unsent.removeFirst(count)
    }
  }
}
