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

  /// What is written of a kind that nobody described.
  init(unknown kind: EventKind) {
    self.init(describing: kind, name: "kind-\(kind.rawValue)")
  }
}
