// SPDX-License-Identifier: Apache-2.0

import LifetraceLifecycle
import LifetraceTrace

/// How the last incarnation of each app has ended, for the next one to continue from.
///
/// Of apps that come and never come again only the newest are kept.
struct LastLives {
  typealias Life = (writer: WriterID, state: LifeState)

  /// At least so many are kept.
  private static let keptMin = 1024

  private var lives: [String: Life] = [:]
  /// The keys in the order in which they came; some are not there any more, some came again.
  private var order: [String] = []

  mutating func remember(_ life: Life, of attributes: WriterAttributes) {
    let key = Self.key(attributes)
    if lives.updateValue(life, forKey: key) == nil { order.append(key) }
    if order.count > Self.keptMin * 2 { forgetOldest() }
    assert(checkInvariants())
  }

  /// The last life of that app; it is gone on with, and no longer here.
  mutating func take(_ attributes: WriterAttributes) -> Life? {
    lives.removeValue(forKey: Self.key(attributes))
  }

  /// Goes on with the ids of another table.
  mutating func rename(from old: borrowing Names, to new: inout Names) {
    for (key, life) in lives {
      lives[key] = (life.writer, life.state.renamed(from: old, to: &new))
    }
  }

  private mutating func forgetOldest() {
    var seen: Set<String> = []
    let kept = order.reversed().filter { lives[$0] != nil && seen.insert($0).inserted }
    for key in kept.dropFirst(Self.keptMin) { lives[key] = nil }
    order = kept.prefix(Self.keptMin).reversed()
  }

  private static func key(_ attributes: WriterAttributes) -> String {
    "\(attributes.role.rawValue) \(attributes.app)"
  }

  /// Every life can be forgotten, and there are not too many.
  func checkInvariants() -> Bool {
    order.count <= Self.keptMin * 2 && lives.count <= order.count
  }
}
