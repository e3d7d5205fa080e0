// SPDX-License-Identifier: Apache-2.0
package import LifetraceTraceFile
package import LifetraceTrace

/// The chunks of one sender, and how far each of them is: a pure value, with the time handed in.
///
///     var shipment = Shipment(resendAfter: 30_000)
///     let number = shipment.add(identity)
///     while let order = shipment.next(at: now) { … send it … }
///     shipment.acknowledge(number)            // the server has it: flow control, no more
///     shipment.note(have)                     // the collector has it on its disk: it is done
///
/// A chunk is done by a ``Have`` alone. Whatever a server has said before, it is sent again when
/// its time is up; a server that lost what it acknowledged costs time, and no events.
package struct Shipment: Sendable {
  /// At most this many are under way without an acknowledgement.
  package static let windowMax = 64
  /// An acknowledgement that has not come in this time, in milliseconds, is not waited for.
  package static let acknowledgementMax: Int64 = 5_000

  /// What a collector has no room for is tried again after so many times as long as other chunks.
  package static let fullWaits: Int64 = 10

  /// How far a chunk is.
  ///
  /// Times are in milliseconds on the clock that is handed in.
  enum State: Sendable, Hashable {
    /// It is to be sent, not before that time.
    case waiting(from: Int64)
    /// It was sent then, and the server has not said that it has it.
    case sent(at: Int64)
    /// The server said then that it has it.
    case acknowledged(at: Int64)
    /// The server of this link takes no chunk of its size; another one may.
    case tooLarge
    /// A collector has it.
    case done
  }

  struct Item: Sendable {
    var identity: ChunkIdentity
    var state = State.waiting(from: .min)
    /// How often the server has acknowledged it in vain: by the same id it would drop it unseen.
    var round = 0
  }

  /// What is to be sent now.
  package struct Order: Sendable, Hashable {
    /// The number that ``add(_:)`` has given.
    package var number: Int
    /// By what the server knows one that it has.
    package var id: String
  }

  private(set) var items: [Item] = []
  /// Those of a writer, in the order in which they came.
  private var numbers: [WriterID: [Int]] = [:]
  /// All before it are done.
  private var firstOpen = 0
  /// The next one to be looked at for sending.
  private var cursor = 0
  private var underWay = 0
  private let resendAfter: Int64
  /// A chunk before one that a collector has is sent again sooner.
  private var gapMax: Int64 { resendAfter / 6 }

  /// How many chunks a collector has.
  package private(set) var done = 0
  /// How many the server does not take, as they are too large for it.
  package private(set) var tooLarge = 0
  /// How many were sent more than once.
  package private(set) var resent = 0

  /// Chunks that a server has are sent again after `resendAfter` milliseconds without a ``Have``.
  package init(resendAfter: Int64 = 30_000) { self.resendAfter = resendAfter }

  /// How many chunks there are.
  package var count: Int { items.count }
  /// Whether a collector has each of them.
  package var isDone: Bool { done == items.count }
  /// Whether nothing can be done for any of them over this link.
  package var isSettled: Bool { done + tooLarge == items.count }
  /// How many wait for nothing but a collector.
  package var acknowledged: Int {
    items[firstOpen...].count { if case .acknowledged = $0.state { true } else { false } }
  }

  /// Those of whom a collector has not all.
  package var openWriters: Set<WriterID> {
    Set(items[firstOpen...].lazy.filter { $0.state != .done }.map(\.identity.writer))
  }

  /// By what a chunk is known.
  package func identity(of number: Int) -> ChunkIdentity { items[number].identity }

  /// Takes a chunk in; its number.
  @discardableResult
  package mutating func add(_ identity: ChunkIdentity) -> Int {
    numbers[identity.writer, default: []].append(items.count)
    items.append(Item(identity: identity))
    return items.count - 1
  }

  /// The next chunk to be sent at that time, which counts as sent then; nil where the window is full
  /// or none is due.
  package mutating func next(at now: Int64) -> Order? {
    guard underWay < Self.windowMax else { return nil }
    while cursor < items.count {
      let number = cursor
      cursor += 1
      guard case .waiting(let from) = items[number].state, from <= now else { continue }
      items[number].state = .sent(at: now)
      underWay += 1
      let item = items[number]
      let round = item.round == 0 ? "" : ".\(item.round)"
      return Order(number: number, id: item.identity.text + round)
    }
    return nil
  }

  /// The server has it.
  package mutating func acknowledge(_ number: Int, at now: Int64) {
    guard items.indices.contains(number), case .sent = items[number].state else { return }
    underWay -= 1
    items[number].state = .acknowledged(at: now)
  }

  /// The server cannot take it now: it is sent again, not before that time.
  package mutating func postpone(_ number: Int, until time: Int64) {
    guard items.indices.contains(number), case .sent = items[number].state else { return }
    underWay -= 1
    wait(number, from: time)
  }

  /// A collector has these, and of this writer no others: what it should have by now is sent again.
  package mutating func note(_ have: Have, at now: Int64) {
    for number in numbers[have.writer] ?? [] {
      let item = items[number]
      if have.held.contains(item.identity.numbers) {
        finish(number)
      } else if case .acknowledged(let since) = item.state {
        if have.isFull {
          // By the same id the server drops it unseen, and there is no need for more.
          items[number].round += 1
          wait(number, from: now + resendAfter * Self.fullWaits)
        } else if now - since >= (have.held.end > item.identity.first ? gapMax : resendAfter) {
          again(number)
        }
      }
    }
    numbers[have.writer]?.removeAll { items[$0].state == .done }
  }

  /// It was to be sent, and is more than the server takes.
  package mutating func setAside(_ number: Int) {
    guard case .sent = items[number].state else { return }
    underWay -= 1
    tooLarge += 1
    items[number].state = .tooLarge
  }

  /// What is under way may be lost, and the next server may take larger ones.
  package mutating func disconnect() {
    for number in items.indices.dropFirst(firstOpen) {
      switch items[number].state {
      case .sent: wait(number, from: .min)
      case .tooLarge: items[number].state = .waiting(from: .min)
      case .waiting, .acknowledged, .done: break
      }
    }
    (underWay, tooLarge, cursor) = (0, 0, firstOpen)
  }

  /// Has chunks sent again whose time is up; whether a collector should be asked what it has.
  package mutating func tick(at now: Int64) -> Bool {
    var asks = false
    for number in items.indices.dropFirst(firstOpen) {
      switch items[number].state {
      case .sent(let time) where now - time >= Self.acknowledgementMax:
        underWay -= 1
        wait(number, from: now)
      case .acknowledged(let time) where now - time >= resendAfter:
        asks = true
      case .waiting(let from) where from <= now: cursor = min(cursor, number)
      case .waiting, .sent, .acknowledged, .tooLarge, .done: break
      }
    }
    return asks
  }

  private mutating func again(_ number: Int) {
    items[number].round += 1
    wait(number, from: .min)
  }

  private mutating func wait(_ number: Int, from time: Int64) {
    resent += 1
    items[number].state = .waiting(from: time)
    cursor = min(cursor, number)
  }

  private mutating func finish(_ number: Int) {
    if case .sent = items[number].state { underWay -= 1 }
    if case .tooLarge = items[number].state { tooLarge -= 1 }
    guard items[number].state != .done else { return }
    items[number].state = .done
    done += 1
    while firstOpen < items.count, items[firstOpen].state == .done { firstOpen += 1 }
  }
}
