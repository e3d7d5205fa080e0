// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform
package import LifetraceTransport

/// Which servers, and who is asking: what it takes to make a link to one of them.
///
/// Over anything but the own machine a link is encrypted, and secrets are read from files that
/// nobody else may read.
package struct NATSAccess: Sendable, Hashable {
  /// `nats://HOST:PORT`, or `tls://`; of a cluster several, with commas between.
  package var url: String
  /// Do without encryption off this machine.
  package var isInsecure = false
  /// Certificates that vouch for the server; those of the system where it is nil.
  package var authorities: String?
  /// The own certificate and its key, for a server that asks for one.
  package var certificate: String?
  /// The key of ``certificate``.
  package var key: String?
  /// A name, and the file with its password.
  package var user: String?
  /// A file with the password of ``user``.
  package var passwordFile: String?
  /// A file with a token.
  package var tokenFile: String?
  /// A file with a user's JWT and seed.
  package var credentials: String?
  /// A file with the seed of an nkey, and its public half.
  package var seedFile: String?
  /// The public half of the nkey in ``seedFile``.
  package var publicKey: String?
  /// What the server lists the connection as.
  package var name = "lifetrace"

  /// The server at a URL, or the servers at several.
  package init(url: String) { self.url = url }

  /// The same for each server alone, in the order of ``url``.
  package var servers: [NATSAccess] {
    url.split(separator: ",", omittingEmptySubsequences: false).map { part in
      var server = self
      server.url = String(part)
      return server
    }
  }

  /// Whether the connection to a server alone is encrypted.
  package var isEncrypted: Bool {
    url.hasPrefix("tls://") || authorities != nil || certificate != nil
  }

  /// The host that the URL of a server alone names; nil where it is none that would do.
  package var host: String? {
    for scheme in ["nats://", "tls://"] where url.hasPrefix(scheme) {
      let rest = url.dropFirst(scheme.count)
      guard !rest.contains("@"), !rest.contains("/"), !rest.contains(",") else { return nil }
      if rest.hasPrefix("[") {
        return rest.firstIndex(of: "]").map {
          String(rest[rest.index(after: rest.startIndex)..<$0])
        }
      }
      let host = rest.prefix { $0 != ":" }
      return host.isEmpty ? nil : String(host)
    }
    return nil
  }

  private var isOfThisMachine: Bool {
    host == "localhost" || host == "::1" || host.map { $0.hasPrefix("127.") } ?? false
  }

  /// Says what would not do, before anything is asked of the network.
  package func check() throws(LinkError) {
    for server in servers {
      guard server.host != nil else {
        throw LinkError(
          .refused,
          "\(server.url): no server; it is nats://HOST:PORT or tls://HOST:PORT, of a cluster several with "
            + "commas between, and who is asking is said by options"
        )
      }
      guard server.isEncrypted || server.isOfThisMachine || isInsecure else {
        throw LinkError(
          .refused,
          "\(server.url): off this machine chunks travel encrypted only\n"
            + "  Use tls:// (with --ca for an authority of your own), or --insecure on a network that "
            + "you trust"
        )
      }
    }
    guard (certificate == nil) == (key == nil) else {
      throw LinkError(.refused, "--cert and --key go together")
    }
    guard (user == nil) == (passwordFile == nil) else {
      throw LinkError(.refused, "--user and --password-file go together")
    }
    guard (seedFile == nil) == (publicKey == nil) else {
      throw LinkError(.refused, "--nkey and --nkey-seed go together")
    }
    for path in [key, passwordFile, tokenFile, credentials, seedFile].compactMap({ $0 }) {
      try Self.checkSecret(path)
    }
  }

  private static func checkSecret(_ path: String) throws(LinkError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      throw LinkError(.refused, "\(path): cannot read it: \(errnoText(errno))")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw LinkError(
        .refused,
        "\(path): others may read this secret (mode \(String(facts.st_mode & 0o777, radix: 8)))\n"
          + "  chmod 600 \(path)"
      )
    }
  }

  /// The first line of a secret's file.
  static func secret(_ path: String) throws(LinkError) -> String {
    guard let line = SmallFile.lineIfReadable(path), !line.isEmpty else {
      throw LinkError(.refused, "\(path): holds no secret, or cannot be read")
    }
    return line
  }
}
