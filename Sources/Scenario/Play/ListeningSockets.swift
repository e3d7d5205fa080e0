// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// A TCP socket on which a process waits for the connections of others.
package struct ListeningSocket: Sendable, Hashable {
  /// The number that the kernel has for it.
  package var inode: UInt64
  /// Where it listens, such as `127.0.0.1:8080` or `[::]:8080`.
  package var address: String
}

/// The sockets of an app that nobody answers on while it is suspended.
///
/// The kernel lists the TCP sockets of a process's network in `/proc/PID/net/tcp` and `tcp6`, and which
/// of them are the process's in `/proc/PID/fd`. Unix sockets do not count: no other device sees them.
package enum ListeningSockets {
  /// A list of the kernel's that is longer than this is not read.
  private static let listBytesMax = 1 << 24

  /// Those of a process, by their addresses.
  package static func open(in pid: Int32) -> [ListeningSocket] {
    var own: Set<UInt64> = []
    OpenFiles.each(of: pid) { _, target in
      if target.hasPrefix("socket:["), let inode = UInt64(target.dropFirst(8).dropLast()) {
        own.insert(inode)
      }
    }
    guard !own.isEmpty else { return [] }
    let all = ["tcp", "tcp6"].flatMap { list in
      listed(
        SmallFile.bytesIfReadable("/proc/\(pid)/net/\(list)", bytesMax: listBytesMax) ?? []
      )
    }
    return all.filter { own.contains($0.inode) }.sorted { $0.address < $1.address }
  }

  /// The state of a listening socket in such a list.
  private static let listening = "0A"

  private static func listed(_ list: [UInt8]) -> [ListeningSocket] {
    String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 9, words[3] == listening, let inode = UInt64(words[9]),
        let address = address(words[1])
      else { return nil }
      return ListeningSocket(inode: inode, address: address)
    }
  }

  /// `0100007F:1F90` is 127.0.0.1:8080: words in the order of the machine, and the port.
  private static func address(_ text: Substring) -> String? {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1], radix: 16) else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[0]
    while !rest.isEmpty {
      guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
      withUnsafeBytes(of: word) { bytes += $0 }
      rest = rest.dropFirst(8)
    }
    let isLong = bytes.count == 16
    guard isLong || bytes.count == 4 else { return nil }
    let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      inet_ntop(isLong ? AF_INET6 : AF_INET, bytes, buffer.baseAddress, socklen_t(buffer.count))
        .map { String(cString: $0) }
    }
    return host.map { isLong ? "[\($0)]:\(port)" : "\($0):\(port)" }
  }
}
