// SPDX-License-Identifier: Apache-2.0

/// A class of system changes that is queued while an app is suspended, and how posts become one.
public struct NotificationClass: Hashable, Sendable {
  /// How several posts of one class and key become at most one delivery.
  public enum Rule: Hashable, Sendable {
    /// The first and the second name undo each other: an even number of changes is none.
    case pair(String, String)
    /// The last value; none if it is the value from before.
    case lastUnlessSame
    /// The last value.
    case last
    /// Once, with all keys together.
    case once
  }

  /// The names of its notifications.
  public var types: [String]
  /// How they are netted.
  public var rule: Rule

  /// The classes that the guides list.
  public static let all: [NotificationClass] = [
    .init(
      ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"],
      .pair("EAAccessoryDidConnect", "EAAccessoryDidDisconnect")
    ),
    .init(["UIDeviceOrientationDidChange"], .lastUnlessSame),
    .init(["UIApplicationSignificantTimeChange"], .once),
    .init(["UIDeviceBatteryLevelDidChange"], .last),
    .init(["UIDeviceBatteryStateDidChange"], .last),
    .init(["UIDeviceProximityStateDidChange"], .lastUnlessSame),
    .init(
      [
        "UIApplicationProtectedDataWillBecomeUnavailable",
        "UIApplicationProtectedDataDidBecomeAvailable",
      ],
      .pair(
        "UIApplicationProtectedDataWillBecomeUnavailable",
        "UIApplicationProtectedDataDidBecomeAvailable"
      )
    ),
    .init(
      ["UIScreenDidConnect", "UIScreenDidDisconnect"],
      .pair("UIScreenDidConnect", "UIScreenDidDisconnect")
    ),
    .init(["UIScreenModeDidChange"], .last),
    .init(["NSUserDefaultsDidChange"], .once),
    .init(["NSCurrentLocaleDidChange"], .once),
    .init(["NSUbiquityIdentityDidChange"], .last),
  ]

  private init(_ types: [String], _ rule: Rule) {
    self.types = types
    self.rule = rule
  }

  /// The class of a notification, with or without `Notification` at its end; nil for one that is not queued.
  public static func named(_ type: String) -> NotificationClass? {
    let short = shortName(type)
    return all.first { $0.types.contains(short) }
  }

  /// The name without `Notification` at its end.
  static func shortName(_ type: String) -> String {
    type.hasSuffix("Notification") ? String(type.dropLast(12)) : type
  }
}

/// What waits for a suspended app: posts go in, the net change comes out.
///
///     var queue = NotificationQueue()
///     queue.post("EAAccessoryDidConnect", key: "printer")
///     queue.post("EAAccessoryDidDisconnect", key: "printer")
///     queue.deliver()                       // [] – nothing has changed
///
/// Bounded: one entry a class and key, however many posts.
public struct NotificationQueue: Sendable, Hashable {
  /// More keys than this are not kept.
  public static let entriesMax = 4096

  /// One delivery.
  public struct Delivery: Sendable, Hashable {
    /// The name of the notification.
    public var type: String
    /// What it is about; empty for the device as a whole.
    public var key: String
    /// The last value posted.
    public var value: String
    /// How many posts it stands for.
    public var posts: Int
  }

  private struct Entry: Sendable, Hashable {
    var delivery: Delivery
    var firstType: String
    var before: String?
    var rule: NotificationClass.Rule
    /// Where it stands among the others: by first post.
    var place: Int
  }

  private struct Key: Sendable, Hashable {
    var type: String
    var key: String
  }

  private var entries: [Key: Entry] = [:]
  private var places = 0
  /// Posts that were not kept, because they are of no queued class or of too many keys.
  public private(set) var dropped = 0

  /// An empty queue.
  public init() {}

  /// Whether nothing was posted.
  public var isEmpty: Bool { entries.isEmpty }

  /// A post while the app is suspended; `before` is the value from before, where it is known.
  public mutating func post(
    _ type: String,
    key: String = "",
    value: String = "",
    before: String? = nil
  ) {
    guard let kind = NotificationClass.named(type) else {
      dropped += 1
      return
    }
    let place = Key(type: kind.types[0], key: kind.rule == .once ? "" : key)
    if var known = entries[place] {
      known.delivery.type = type
      known.delivery.value = Self.merged(known.delivery.value, value, kind.rule)
      known.delivery.posts += 1
      entries[place] = known
      return
    }
    guard entries.count < Self.entriesMax else {
      dropped += 1
      return
    }
    let delivery = Delivery(type: type, key: place.key, value: value, posts: 1)
    entries[place] = Entry(
      delivery: delivery,
      firstType: type,
      before: before,
      rule: kind.rule,
      place: places
    )
    places += 1
  }

  /// Takes the net changes out, in order of their first posts.
  public mutating func deliver() -> [Delivery] {
    let net = entries.values.filter(Self.isChange).sorted { $0.place < $1.place }.map(\.delivery)
    self = NotificationQueue()
    return net
  }

  /// The app died: everything pending is dropped; what it was.
  public mutating func drop() -> [Delivery] { deliver() }

  private static func merged(_ old: String, _ new: String, _ rule: NotificationClass.Rule) -> String
  {
    guard rule == .once, !old.isEmpty, !new.isEmpty else { return new.isEmpty ? old : new }
    let known = old.split(separator: ",")
    return known.contains(Substring(new)) ? old : "\(old),\(new)"
  }

  /// Whether there is a change in the end.
  private static func isChange(_ entry: Entry) -> Bool {
    switch entry.rule {
    // It was the other way before the first post, so it is back there when the last differs from the first.
    case .pair:
      NotificationClass.shortName(entry.delivery.type)
        == NotificationClass.shortName(entry.firstType)
    case .lastUnlessSame: entry.before == nil || entry.delivery.value != entry.before
    case .last, .once: true
    }
  }
}
