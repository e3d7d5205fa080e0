// SPDX-License-Identifier: Apache-2.0

/// One argument of an event: its name and how to read it.
public struct Field: Hashable, Sendable {
  /// The word printed before the value, such as `version`.
  public var name: String
  /// How to read the 64 bits.
  public var type: FieldType

  /// A field of that name and type.
  public init(_ name: String, _ type: FieldType) {
    self.name = name
    self.type = type
  }
}

/// The description of a kind: its name in the story format, its family, what its identity is, and
/// its fixed arguments.
///
/// A chunk carries this table for the kinds in it, so that a reader without
/// them can still print every event.
public struct KindInfo: Hashable, Sendable {
  /// The kind that is described.
  public var kind: EventKind
  /// The dotted name, `family.verb`, as printed and as accepted by searches.
  public var name: String
  /// The family, for losses and ledgers.
  public var family: EventFamily
  /// What the identity is, or nil when the kind has none.
  public var identity: Field?
  /// The fixed arguments, in order; a site may add labelled ones behind them.
  public var fields: [Field]
  /// The kind that ends what this one begins, if it has an extent.
  public var ending: EventKind?
}

extension KindInfo {
  init(
    _ kind: EventKind,
    _ name: String,
    _ family: EventFamily,
    _ identity: Field? = nil,
    _ fields: [Field] = [],
    endedBy ending: EventKind? = nil
  ) {
    self.kind = kind
    self.name = name
    self.family = family
    self.identity = identity
    self.fields = fields
    self.ending = ending
  }

  /// By raw value; nil for the kinds this version does not know.
  public static let byRawValue: [KindInfo?] = {
    var table = [KindInfo?](repeating: nil, count: 256)
    for info in all { table[Int(info.kind.rawValue)] = info }
    return table
  }()

  /// By dotted name, such as `data.dirty`.
  public static let byName: [String: KindInfo] = Dictionary(
    uniqueKeysWithValues: all.map { ($0.name, $0) }
  )
}

extension EventKind {
  /// What this version knows of the kind, or nil.
  public var info: KindInfo? { KindInfo.byRawValue[Int(rawValue)] }

  /// The family; ``EventFamily/unknown`` for a kind this version does not know.
  public var family: EventFamily { info?.family ?? .unknown }
}
