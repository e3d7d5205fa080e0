// SPDX-License-Identifier: Apache-2.0

extension KindInfo {
  /// A kind that this version does not know, as a chunk describes it.
  public init(
    describing kind: EventKind,
    name: String,
    family: EventFamily = .unknown,
    identity: Field? = nil,
    fields: [Field] = [],
    ending: EventKind? = nil
  ) {
    self.init(
      kind: kind,
      name: name,
      family: family,
      identity: identity,
      fields: fields,
      ending: ending
    )
  }

  /// The description of a kind that has none.
  init(unknown kind: EventKind) {
    self.init(describing: kind, name: Self.unknownName(kind))
  }

  /// The name of a kind without a description: `kind.200`, wherever it is written or typed.
  package static func unknownName(_ kind: EventKind) -> String { "kind.\(kind.rawValue)" }

  /// The kind that is called so; nil where the name is none of those.
  package static func unknown(named name: some StringProtocol) -> EventKind? {
    guard name.hasPrefix("kind."), let number = UInt8(name.dropFirst(5)) else { return nil }
    return EventKind(rawValue: number)
  }
}
