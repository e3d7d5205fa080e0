// SPDX-License-Identifier: Apache-2.0

/// What waits for a suspended app: posts go in, the net change comes out.
///
///     var queue = NotificationQueue()
///     queue.post("EAAccessoryDidConnect", key: "printer")
///     queue.post("EAAccessoryDidDisconnect", key: "printer")
///     queue.take().delivered                // [] – nothing has changed
///
/// Bounded: one entry a class and key, however many posts.
public struct NotificationQueue: Sendable, Hashable {
  /// More keys than this are not kept.
  public static let entriesMax = 4096

  /// What posts of one class and key have become.
  public struct Delivery: Sendable, Hashable {
    /// The name of the notification.
    public var type: String
    /// What it is about; empty for the device as a whole, several joined by commas.
    public var key: String
    /// The last value posted.
    public var value: String
    /// How many posts it stands for.
    public var posts: Int
  }

  /// What comes out when the app runs again.
  public struct Net: Sendable, Hashable {
    /// The deliveries to the app, in order of the first posts.
    public var delivered: [Delivery] = []
    /// Types that were posted and come to nothing, in the same order.
    public var undone: [Delivery] = []
  }

  fileprivate struct Entry: Sendable, Hashable {
    var delivery: Delivery
    /// In order of their first posts; two for a pair.
    var types: [String]
    var before: String?
    var rule: NotificationClass.Rule
  }

  private struct Key: Sendable, Hashable {
    var type: String
    var key: String
  }

  private var entries: [Entry] = []
  private var places: [Key: Int] = [:]
  /// Posts that were not kept, because they are of no queued class or of too many keys.
  public private(set) var dropped = 0

  /// A queue without posts.
  public init() {}

  /// Whether nothing was posted.
  public var isEmpty: Bool { entries.isEmpty }

  /// Takes a post while the app is suspended; `before` is the value from before, where it is known, or of
  /// a pair the name that was posted last.
  ///
  /// - Returns: The merged post of its class and key; nil for one that is not kept.
  @discardableResult
  public mutating func post(
    _ type: String,
    key: String = "",
    value: String = "",
    before: String? = nil
  ) -> Delivery? {
    guard let kind = NotificationClass.named(type) else {
      dropped += 1
      return nil
    }
    let name = Key(type: kind.types[0], key: kind.rule.joinsKeys ? "" : key)
    if let place = places[name] {
      entries[place].take(type, key, value)
      return entries[place].delivery
    }
    guard entries.count < Self.entriesMax else {
      dropped += 1
      return nil
    }
    places[name] = entries.count
    let delivery = Delivery(type: type, key: key, value: value, posts: 1)
    entries.append(Entry(delivery: delivery, types: [type], before: before, rule: kind.rule))
    return delivery
  }

  /// Takes everything out: the deliveries to the app, and the posts that cancelled out.
  public mutating func take() -> Net {
    var net = Net()
    for entry in entries {
      let isChange = entry.isChange
      if isChange { net.delivered.append(entry.delivery) }
      let last = NotificationClass.shortName(entry.delivery.type)
      for type in entry.types where !isChange || NotificationClass.shortName(type) != last {
        var undone = entry.delivery
        undone.type = type
        net.undone.append(undone)
      }
    }
    self = NotificationQueue()
    return net
  }
}

extension NotificationQueue.Entry {
  /// More joined keys than this are not named.
  private static let keyBytesMax = 4096

  fileprivate mutating func take(_ type: String, _ key: String, _ value: String) {
    let isSpeltAnew =
      NotificationClass.shortName(delivery.type) == NotificationClass.shortName(type)
    if !isSpeltAnew { delivery.type = type }
    delivery.value = value
    delivery.posts += 1
    let short = NotificationClass.shortName(type)
    if !types.contains(where: { NotificationClass.shortName($0) == short }) { types.append(type) }
    guard rule.joinsKeys, !key.isEmpty, delivery.key.utf8.count < Self.keyBytesMax else { return }
    if delivery.key.isEmpty {
      delivery.key = key
    } else if !delivery.key.split(separator: ",").contains(Substring(key)) {
      delivery.key += "," + key
    }
  }

  /// Whether there is a change in the end.
  fileprivate var isChange: Bool {
    switch rule {
    // Where nothing is known it was the other way before the first post.
    case .pair:
      if let before {
        NotificationClass.shortName(delivery.type) != NotificationClass.shortName(before)
      } else {
        NotificationClass.shortName(delivery.type) == types.first.map(NotificationClass.shortName)
      }
    case .lastUnlessSame: before == nil || delivery.value != before
    case .last, .union: true
    }
  }
}
