// SPDX-License-Identifier: Apache-2.0
package import LifetraceTransport

#if NATS
internal import CLifetraceNats
internal import LifetracePlatform

/// One connection to a NATS server, by its C library, which is told not to mend it.
package final class NATSLink: Link {
  /// Whether this program can talk to a server.
  package static let isBuilt = true
  /// A connection is made within this time, in milliseconds, or not at all.
  private static let connectMax: Int64 = 5_000
  /// A server that does not answer two pings is away; one goes out so often, in milliseconds.
  private static let pingInterval: Int64 = 2_000
  /// A write that does not get on for so long, in milliseconds, ends the connection.
  private static let writeMax: Int64 = 5_000

  private let mailbox = Mailbox()
  /// Set in the initialiser alone; the library guards what is behind it.
  private let connection: OpaquePointer
  private var subscriptions: [OpaquePointer] = []

  /// Whether the process may exit while threads of the client are still reading.
  ///
  /// OpenSSL tidies up under them at the exit, and some four of one hundred shipments ended by
  /// SIGSEGV though all had arrived. It is told not to, which it hears only before its first use.
  private static let isExitSafe =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// Connects to one of the servers, whichever answers, beginning with any of them.
  package init(_ access: NATSAccess) throws(LinkError) {
    try Self.check(access)
    guard Self.isExitSafe else { throw LinkError(.refused, "OpenSSL cannot be initialised") }
    connection = try Self.connection(to: access.servers.shuffled(), mailbox)
  }

  private static func connection(
    to servers: [NATSAccess],
    _ mailbox: Mailbox
  ) throws(LinkError) -> OpaquePointer {
    var failures: [LinkError] = []
    for server in servers {
      do throws(LinkError) {
        return try connection(to: server, mailbox)
      } catch {
        failures.append(error)
      }
    }
    // What one will not give another one may, once it is there.
    let isAway = failures.contains { $0.kind == .away }
    throw LinkError(
      isAway ? .away : .refused,
      failures.map(\.description).joined(separator: "\n")
    )
  }

  private static func connection(
    to server: NATSAccess,
    _ mailbox: Mailbox
  ) throws(LinkError) -> OpaquePointer {
    var made: OpaquePointer?
    natsOptions_Create(&made)
    guard let options = made else { throw LinkError(.refused, "no memory for a connection") }
    defer { natsOptions_Destroy(options) }
    try set(options, server)
    // The library's threads have it until the connection is closed, which is the last they say.
    let held = Unmanaged.passRetained(mailbox)
    let closure = held.toOpaque()
    natsOptions_SetClosedCB(
      options,
      { _, closure in
        guard let closure else { return }
        Unmanaged<Mailbox>.fromOpaque(closure).takeRetainedValue().close()
      },
      closure
    )
    natsOptions_SetErrorHandler(
      options,
      { connection, _, status, closure in
        guard let closure else { return }
        var text: UnsafePointer<CChar>?
        if natsConnection_GetLastError(connection, &text) == NATS_OK || text == nil {
          text = natsStatus_GetText(status)
        }
        let words = text.map { String(cString: $0) } ?? "an error"
        Unmanaged<Mailbox>.fromOpaque(closure).takeUnretainedValue().note(words)
      },
      closure
    )
    var connected: OpaquePointer?
    let status = natsConnection_Connect(&connected, options)
    guard status == NATS_OK, let connected else {
      held.release()
      throw failure(server, status)
    }
    return connected
  }

  deinit {
    for subscription in subscriptions { natsSubscription_Destroy(subscription) }
    natsConnection_Close(connection)
    natsConnection_Destroy(connection)
  }

  private static func set(_ options: OpaquePointer, _ access: NATSAccess) throws(LinkError) {
    natsOptions_SetAllowReconnect(options, false)
    natsOptions_SetTimeout(options, connectMax)
    natsOptions_SetPingInterval(options, pingInterval)
    natsOptions_SetMaxPingsOut(options, 2)
    natsOptions_SetWriteDeadline(options, writeMax)
    natsOptions_SetSendAsap(options, false)
    natsOptions_SetName(options, access.name)
    var status = natsOptions_SetURL(options, access.url)
    if access.isEncrypted { status = merge(status, natsOptions_SetSecure(options, true)) }
    if let authorities = access.authorities {
      status = merge(status, natsOptions_LoadCATrustedCertificates(options, authorities))
    }
    if let certificate = access.certificate, let key = access.key {
      status = merge(status, natsOptions_LoadCertificatesChain(options, certificate, key))
    }
    if let host = access.host, access.isEncrypted {
      status = merge(status, natsOptions_SetExpectedHostname(options, host))
    }
    if let user = access.user, let file = access.passwordFile {
      status = merge(
        status,
        natsOptions_SetUserInfo(options, user, try NATSAccess.secret(file))
      )
    }
    if let file = access.tokenFile {
      status = merge(status, natsOptions_SetToken(options, try NATSAccess.secret(file)))
    }
    if let credentials = access.credentials {
      status = merge(
        status,
        natsOptions_SetUserCredentialsFromFiles(options, credentials, nil)
      )
    }
    if let seed = access.seedFile, let publicKey = access.publicKey {
      status = merge(status, natsOptions_SetNKeyFromSeed(options, publicKey, seed))
    }
    guard status == NATS_OK else { throw failure(access, status) }
  }

  private static func merge(_ first: natsStatus, _ second: natsStatus) -> natsStatus {
    first == NATS_OK ? second : first
  }

  /// What is worth another attempt, and what is not.
  private static func failure(_ access: NATSAccess, _ status: natsStatus) -> LinkError {
    var code = status
    let detail = nats_GetLastError(&code).map { String(cString: $0) } ?? ""
    let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "error"
    let words = detail.isEmpty ? text : "\(text): \(detail)"
    let isRefusal = [
      NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED, NATS_SSL_ERROR, NATS_INVALID_ARG,
      NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED, NATS_ADDRESS_MISSING,
    ].contains(status)
    // Whoever has none learns it when the server ends the connection at its first word.
    let hint =
      status == NATS_PROTOCOL_ERROR && access.isEncrypted && access.certificate == nil
      ? "\n  So does a server that asks for a certificate of your own: --cert and --key" : ""
    return LinkError(isRefusal ? .refused : .away, "\(access.url): \(words)\(hint)")
  }

  package var bodyBytesMax: Int { Int(natsConnection_GetMaxPayload(connection)) }

  package func subscribe(to subject: String) throws(LinkError) {
    var made: OpaquePointer?
    // The thread of the subscription has the mailbox until it says that it is done.
    let held = Unmanaged.passRetained(mailbox)
    let status = natsConnection_Subscribe(
      &made,
      connection,
      subject,
      { _, _, message, closure in
        guard let message else { return }
        defer { natsMsg_Destroy(message) }
        guard let closure else { return }
        Unmanaged<Mailbox>.fromOpaque(closure).takeUnretainedValue()
          .put(NATSLink.message(message))
      },
      held.toOpaque()
    )
    if status != NATS_OK { held.release() }
    try check(status)
    if let made {
      natsSubscription_SetOnCompleteCB(
        made,
        { closure in
          if let closure { Unmanaged<Mailbox>.fromOpaque(closure).release() }
        },
        held.toOpaque()
      )
      // What is asked for is bounded; a burst of large ones is no slow consumer.
      natsSubscription_SetPendingLimits(made, Int32(Mailbox.messagesMax), -1)
      subscriptions.append(made)
    }
  }

  private static func message(_ message: OpaquePointer) -> LinkMessage {
    let count = Int(natsMsg_GetDataLength(message))
    let body = natsMsg_GetData(message).map { data in
      UnsafeRawBufferPointer(start: data, count: count).map { $0 }
    }
    var received = LinkMessage(
      natsMsg_GetSubject(message).map { String(cString: $0) } ?? "",
      body ?? [],
      reply: natsMsg_GetReply(message).map { String(cString: $0) } ?? ""
    )
    var status: UnsafePointer<CChar>?
    if count == 0, natsMsgHeader_Get(message, "Status", &status) == NATS_OK, let status {
      received.status = Int(String(cString: status)) ?? 500
    }
    return received
  }

  package func publish(_ message: LinkMessage) throws(LinkError) {
    var made: OpaquePointer?
    let status = message.body.withUnsafeBytes { bytes in
      natsMsg_Create(
        &made,
        message.subject,
        message.reply.isEmpty ? nil : message.reply,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count)
      )
    }
    try check(status)
    defer { natsMsg_Destroy(made) }
    if !message.id.isEmpty { try check(natsMsgHeader_Set(made, "Nats-Msg-Id", message.id)) }
    try check(natsConnection_PublishMsg(connection, made))
  }

  package func next(within milliseconds: Int) throws(LinkError) -> LinkMessage? {
    let (message, isClosed) = mailbox.next(within: milliseconds)
    if let message { return message }
    let problem = mailbox.takeProblem()
    if let problem, problem.lowercased().contains("permissions violation") {
      throw LinkError(.refused, "the server does not allow it: \(problem)")
    }
    if isClosed {
      throw LinkError(.away, "the connection is gone: \(problem ?? "by the other side")")
    }
    return nil
  }

  private func check(_ status: natsStatus) throws(LinkError) {
    guard status != NATS_OK else { return }
    let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "error"
    throw LinkError(.away, "the connection is gone: \(text)")
  }
}
#else
/// What stands in for a link in a program that was built without the trait.
package final class NATSLink: Link {
  /// Whether this program can talk to a server.
  package static let isBuilt = false

  /// Says what is missing.
  package init(_ access: NATSAccess) throws(LinkError) {
    try Self.check(access)
  }

  package let bodyBytesMax = 0
  package func subscribe(to subject: String) throws(LinkError) {}
  package func publish(_ message: LinkMessage) throws(LinkError) {}
  package func next(within milliseconds: Int) throws(LinkError) -> LinkMessage? { nil }
}
#endif

extension NATSLink {
  /// Says what would not do, before anything is asked of the network.
  package static func check(_ access: NATSAccess) throws(LinkError) {
    guard isBuilt else {
      throw LinkError(
        .refused,
        "this lifetrace was built without NATS\n"
          + "  Build one that has it: Scripts/setup.sh --with-nats && "
          + "swift build --traits NATS --product lifetrace"
      )
    }
    try access.check()
  }
}
