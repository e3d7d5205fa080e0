// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTransport
import Support

/// A server in memory, whose links break and whose messages are lost, doubled and damaged by a seed.
final class SimulatedServer {
  /// How often, in a thousand, what goes wrong does.
  struct Faults {
    var breaks = 0
    var loses = 0
    var doubles = 0
    var damages = 0
    var wipes = 0
  }

  private struct Kept {
    var message: LinkMessage
    /// When a collector that says nothing is not waited for any more.
    var deliveredUntil = Int64.min
  }

  var faults = Faults()
  var random: SeededRandom
  /// Milliseconds; each look for a message takes one.
  var now: Int64 = 0
  private(set) var wiped = 0
  /// The subjects of all that was sent to it.
  var published: [String] = []
  private var kept: [Int: Kept] = [:]
  private var nextNumber = 0
  private var ids: [String: Int64] = [:]
  private var hasStream = false
  private var links: [SimulatedLink] = []
  private var pulls: [(reply: String, count: Int, until: Int64)] = []

  static let duplicateWindow: Int64 = 2_000

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  func happens(_ perThousand: Int) -> Bool { random.below(1_000) < perThousand }

  func connect() -> any Link {
    let link = SimulatedLink(self)
    links.append(link)
    return link
  }

  /// All that it has is gone, and with it every connection.
  func wipe() {
    wiped += 1
    kept = [:]
    ids = [:]
    hasStream = false
    pulls = []
    for link in links { link.isBroken = true }
    links = []
  }

  func drop(_ link: SimulatedLink) { links.removeAll { $0 === link } }

  func take(_ message: LinkMessage) {
    published.append(message.subject)
    if happens(faults.wipes) { return wipe() }
    if message.subject.hasPrefix("$JS.API.") {
      api(message)
    } else if message.subject.hasPrefix("ack.") {
      if let number = Int(message.subject.dropFirst(4)) { kept[number] = nil }
    } else if message.subject.hasPrefix("lt.") {
      keep(message)
    } else {
      spread(message)
    }
    deliver()
  }

  private func keep(_ message: LinkMessage) {
    guard hasStream else {
      var nobody = LinkMessage(message.reply)
      nobody.status = 503
      return spread(nobody)
    }
    if ids[message.id].map({ now - $0 > Self.duplicateWindow }) ?? true {
      ids[message.id] = now
      kept[nextNumber] = Kept(message: message)
      nextNumber += 1
    }
    spread(LinkMessage(message.reply, Array(#"{"stream":"LIFETRACE","seq":1}"#.utf8)))
  }

  private func api(_ message: LinkMessage) {
    if message.subject.contains("CONSUMER.MSG.NEXT") {
      let json = try? JSON(parsing: message.body)
      let expires = (json?["expires"]?.int ?? 0) / 1_000_000
      pulls.append((message.reply, Int(json?["batch"]?.int ?? 0), now + expires))
      return
    }
    var answer = #"{"type":"made"}"#
    if message.subject.contains("STREAM.INFO"), !hasStream { answer = #"{"error":{"code":404}}"# }
    if message.subject.contains("STREAM.CREATE") { hasStream = true }
    spread(LinkMessage(message.reply, Array(answer.utf8)))
  }

  private func deliver() {
    pulls.removeAll { $0.until < now || $0.count == 0 }
    for (number, one) in kept.sorted(by: { $0.key < $1.key }) where one.deliveredUntil <= now {
      guard let pull = pulls.indices.first else { return }
      pulls[pull].count -= 1
      var message = one.message
      message.subject = pulls[pull].reply
      message.reply = "ack.\(number)"
      kept[number]?.deliveredUntil = now + 5_000
      spread(message)
      if pulls[pull].count == 0 { pulls.remove(at: pull) }
    }
  }

  private func spread(_ message: LinkMessage) {
    guard !happens(faults.loses) else { return }
    var message = message
    if !message.body.isEmpty, happens(faults.damages) {
      message.body[random.below(message.body.count)] ^= 1 << UInt8(random.below(8))
    }
    for link in links where link.hears(message.subject) {
      link.arrived.append(message)
      if happens(faults.doubles) { link.arrived.append(message) }
    }
  }
}

/// One connection to it.
final class SimulatedLink: Link {
  var arrived: [LinkMessage] = []
  var isBroken = false
  private let server: SimulatedServer
  private var subjects: [[Substring]] = []

  init(_ server: SimulatedServer) { self.server = server }

  let bodyBytesMax = 1 << 20

  func hears(_ subject: String) -> Bool {
    let words = subject.split(separator: ".")
    return subjects.contains { pattern in
      for (index, word) in pattern.enumerated() {
        if word == ">" { return words.count > index }
        guard index < words.count, word == "*" || word == words[index] else { return false }
      }
      return pattern.count == words.count
    }
  }

  private func mayBreak() throws(LinkError) {
    if server.happens(server.faults.breaks) { isBroken = true }
    guard isBroken else { return }
    server.drop(self)
    throw LinkError(.away, "broken")
  }

  func subscribe(to subject: String) throws(LinkError) {
    try mayBreak()
    subjects.append(subject.split(separator: "."))
  }

  func publish(_ message: LinkMessage) throws(LinkError) {
    try mayBreak()
    server.take(message)
  }

  func next(within milliseconds: Int) throws(LinkError) -> LinkMessage? {
    try mayBreak()
    if arrived.isEmpty {
      server.now += Int64(milliseconds)
      return nil
    }
    return arrived.removeFirst()
  }
}
