// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// Where a receiver listens: `127.0.0.1:4318`, `[::1]:0`, `localhost:4318`.
///
///     let address = try ListenAddress(typed: "127.0.0.1:4318")
///     let listener = try address.listen()        // port 0 takes a free one
package struct ListenAddress: Hashable, Sendable {
  /// A number of IPv4 or IPv6, without brackets.
  package let host: String
  /// 0 for any that is free.
  package let port: UInt16
  private let isIPv6: Bool

  /// What is wrong with an address, or keeps it from being listened at.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found, and what would do.
    package let description: String

    init(_ description: String) { self.description = description }
  }

  /// Reads an address.
  ///
  /// - Throws: ``Problem``; names are not looked up.
  package init(typed text: String) throws(Problem) {
    let wanted = "write an address and a port, 127.0.0.1:4318 or [::1]:4318"
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { throw Problem("\(text): \(wanted)") }
    var host = String(text[..<colon])
    if host == "localhost" { host = "127.0.0.1" }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    var (four, six) = (in_addr(), in6_addr())
    isIPv6 = inet_pton(AF_INET6, host, &six) == 1
    guard isIPv6 || inet_pton(AF_INET, host, &four) == 1 else {
      throw Problem("\(text): \"\(host)\" is no address: \(wanted)")
    }
    (self.host, self.port) = (host, port)
  }

  private init(_ host: String, _ port: UInt16, isIPv6: Bool) {
    (self.host, self.port, self.isIPv6) = (host, port, isIPv6)
  }

  /// Whether only this machine comes to it.
  package var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

  /// As SDKs take it.
  package var url: String { "http://\(isIPv6 ? "[\(host)]" : host):\(port)" }

  /// A socket that listens, and where: with the port that it was given.
  ///
  /// - Throws: ``Problem`` where another program listens there, or this machine has no such address.
  package func listen() throws(Problem) -> (descriptor: Int32, address: ListenAddress) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { throw failure() }
    var yes: Int32 = 1
    _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bound(descriptor) == 0, LifetracePlatform.listen(descriptor, 128) == 0,
      let port = ownPort(of: descriptor)
    else {
      let failure = failure()
      close(descriptor)
      throw failure
    }
    return (descriptor, ListenAddress(host, port, isIPv6: isIPv6))
  }

  private func failure() -> Problem {
    Problem("cannot listen at \(url.dropFirst("http://".count)): \(errnoText(errno))")
  }

  private func bound(_ descriptor: Int32) -> Int32 {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return withUnsafePointer(to: &address) { Self.bind(descriptor, $0) }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: &address) { Self.bind(descriptor, $0) }
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: UnsafePointer<Address>) -> Int32
  {
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      LifetracePlatform.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
    }
  }

  /// The port is at the same place in both kinds of address.
  private func ownPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return failed == 0 ? UInt16(bigEndian: address.sin6_port) : nil
  }
}
