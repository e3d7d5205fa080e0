// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceTransport
import LifetraceTransportNATS

/// Which tenant's chunks, and how a server knows who is asking: the same for all who send or collect.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Whose chunks these are: letters, digits, - and _.", valueName: "name")
  )
  var tenant = "default"

  @Option(
    help: ArgumentHelp(
      """
      Have the server answer below this subject (_INBOX_USER with --user, else _INBOX). It should allow \
      each user its own and no other: who may listen to another's gets what is delivered there.
      """,
      valueName: "prefix"
    )
  )
  var inbox: String?

  @Flag(help: "Do without encryption off this machine.")
  var insecure = false

  @Option(
    help: ArgumentHelp(
      "Certificates of the authority that vouches for the server.",
      valueName: "file"
    ),
    completion: .file()
  )
  var ca: String?

  @Option(
    help: ArgumentHelp("Your own certificate, for a server that asks for one.", valueName: "file"),
    completion: .file()
  )
  var cert: String?

  @Option(
    help: ArgumentHelp("The key of --cert, mode 0600.", valueName: "file"),
    completion: .file()
  )
  var key: String?

  @Option(help: ArgumentHelp("Your name on the server.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp("The password of --user, mode 0600.", valueName: "file"),
    completion: .file()
  )
  var passwordFile: String?

  @Option(help: ArgumentHelp("A token, mode 0600.", valueName: "file"), completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("JWT and seed of a NATS user, mode 0600.", valueName: "file"),
    completion: .file()
  )
  var creds: String?

  @Option(
    help: ArgumentHelp("The public half of your nkey; with --nkey-seed.", valueName: "key")
  )
  var nkey: String?

  @Option(
    help: ArgumentHelp("The seed of --nkey, mode 0600.", valueName: "file"),
    completion: .file()
  )
  var nkeySeed: String?

  func validate() throws {
    guard Subjects(tenant: tenant) != nil else {
      throw ValidationError(
        "--tenant \(tenant): a tenant is 1 to 64 letters, digits, - and _, as it stands in subjects."
      )
    }
    guard inbox.map(Subjects.isPrefix) ?? true else {
      throw ValidationError(
        "--inbox \(inbox ?? ""): a prefix is words of letters, digits, - and _ with points between."
      )
    }
  }

  /// The subjects of the tenant in these partitions, which were validated.
  func subjects(_ partitions: ClosedRange<Int> = Subjects.allPartitions) -> Subjects {
    let inbox = inbox ?? Subjects.inbox(ofUser: user)
    guard let subjects = Subjects(tenant: tenant, inbox: inbox, partitions: partitions) else {
      preconditionFailure("validated")
    }
    return subjects
  }

  /// How to come to the server at a URL.
  func access(to url: String) -> NATSAccess {
    var access = NATSAccess(url: url)
    access.isInsecure = insecure
    access.authorities = ca
    access.certificate = cert
    access.key = key
    access.user = user
    access.passwordFile = passwordFile
    access.tokenFile = tokenFile
    access.credentials = creds
    access.seedFile = nkeySeed
    access.publicKey = nkey
    return access
  }
}
