// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// How a real server is told who is asking, each way against one that wants it: with it a recording
/// arrives, without it nothing is sent.
@Suite(.waits, .serialized) struct IdentityTests {
  /// Starts a server with `configuration`, and ships with `options` and without.
  private func ship(
    _ configuration: String,
    _ options: String,
    secret: String,
    scheme: String = "nats",
    others: String = "",
    refusal: Int = 69
  ) throws -> TestProgram.Outcome {
    ServerShell.run(
      """
      python3 '\(Golden.root)/Tests/Fixtures/identities.py' || exit 90
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \\
        -keyout ca.key -out ca.pem 2>/dev/null || exit 91
      printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' >san
      for name in server phone; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$name \\
          -keyout $name.key -out $name.csr 2>/dev/null || exit 92
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san \\
          -out $name.pem 2>/dev/null || exit 93
      done
      echo secret >token; chmod 600 token phone.key
      printf '%s\\n' '\(configuration)' | sed "s/NKEY/$(cat nkey.public)/" >server.conf
      server -c \(configuration.isEmpty ? "operator.conf" : "server.conf")
      url=\(scheme)://localhost:$port
      ship() { lifetrace ship \(ServerShell.vectors)/cat.lifetrace' --to $url --timeout 20s "$@"; }
      collect --from $url -d store \(options)
      ship \(options) || exit 1
      ship --timeout 2s \(others); [ $? = \(refusal) ] || exit 2
      chmod 640 \(secret)
      ship \(options); [ $? = 69 ] || exit 3
      """,
      in: try TestFolder()
    )
  }

  private func expectWell(_ result: TestProgram.Outcome, _ secret: String) {
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains("others may read this secret (mode 640)"), "\(result.said)")
    #expect(result.said.contains("chmod 600 \(secret)"), "\(result.said)")
  }

  @Test func aToken() throws {
    expectWell(
      try ship(
        "authorization { token: secret }\njetstream { store_dir: js }",
        "--token-file token",
        secret: "token"
      ),
      "token"
    )
  }

  @Test func anNkey() throws {
    expectWell(
      try ship(
        "authorization { users: [ { nkey: NKEY } ] }\njetstream { store_dir: js }",
        "--nkey $(cat nkey.public) --nkey-seed nkey.seed",
        secret: "nkey.seed"
      ),
      "nkey.seed"
    )
  }

  @Test func credentials() throws {
    expectWell(try ship("", "--creds user.creds", secret: "user.creds"), "user.creds")
  }

  /// Where a certificate is asked for, one without learns it only when its first words are refused.
  @Test func aCertificateOfItsOwn() throws {
    let result = try ship(
      """
      tls { cert_file: server.pem, key_file: server.key, ca_file: ca.pem, verify: true }
      jetstream { store_dir: js }
      """,
      "--ca ca.pem --cert phone.pem --key phone.key",
      secret: "phone.key",
      scheme: "tls",
      others: "--ca ca.pem",
      refusal: 75
    )
    expectWell(result, "phone.key")
    #expect(result.said.contains("a server that asks for a certificate"), "\(result.said)")
  }
}
