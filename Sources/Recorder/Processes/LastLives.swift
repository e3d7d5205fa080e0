// SPDX-License-Identifier: Apache-2.0

import LifetraceLifecycle
import LifetraceTrace
import OrderedCollections

/// How the last incarnation of each app has ended, for the next one to continue from.
///
/// Only the newest are kept of apps that come once and never again.
struct LastLives {
  typealias Life = (writer: WriterID, state: LifeState)

  /// The oldest of more are forgotten.
  private static let keptMax = 1024

  /// In the order in which they came.
  private var lives: OrderedDictionary<String, Life> = [:]

  mutating func remember(_ life: Life, of attributes: WriterAttributes, in test: String) {
    let key = Self.key(attributes, test)
    lives.removeValue(forKey: key)
    lives[key] = life
    if lives.count > Self.keptMax { lives.removeFirst() }
    assert(checkInvariants())
  }

  /// The last life of that app, in one test the one of that test; it is gone on with, and no longer
  /// here.
  mutating func take(_ attributes: WriterAttributes, in test: String) -> Life? {
    lives.removeValue(forKey: Self.key(attributes, test))
  }

  /// Goes on with the ids of another table.
  mutating func rename(from old: borrowing Names, to new: inout Names) {
    for index in lives.values.indices {
      lives.values[index].state = lives.values[index].state.renamed(from: old, to: &new)
    }
  }

  private static func key(_ attributes: WriterAttributes, _ test: String) -> String {
    "\(attributes.role.rawValue) \(attributes.app)\u{0}\(test)"
  }

  /// There are not too many.
  func checkInvariants() -> Bool { lives.count <= Self.keptMax }
}
