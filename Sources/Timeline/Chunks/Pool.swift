// SPDX-License-Identifier: Apache-2.0

/// Decoded parts of chunks, up to a limit in bytes.
///
/// Where there is no room, one of four taken by chance goes, the one that was not looked at for longest.
/// To give up the oldest of all would be worst where it hurts most: many writers are walked in turns, and
/// as soon as one too many lives, each part would be given up just before it is needed again. So the share
/// of parts that must be decoded anew grows with what is missing, and not at once to all of them. With one of
/// two, a jump to where nearly all are to be decoded would give up half as many again that it needs itself.
struct Pool<Key: Hashable, Part> {
  private struct Slot {
    var key: Key
    var part: Part
    var bytes: Int
    var lastUse: UInt64
  }

  /// Of how many parts taken by chance one goes.
  private static var choices: Int { 4 }

  let bytesMax: Int
  private(set) var bytes = 0
  private var slots: [Slot] = []
  private var places: [Key: Int] = [:]
  private var uses: UInt64 = 0
  private var chance: UInt64 = 0x9e37_79b9_7f4a_7c15

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The part with this key, if it is still there.
  mutating func part(_ key: Key) -> Part? {
    guard let place = places[key] else { return nil }
    uses &+= 1
    slots[place].lastUse = uses
    return slots[place].part
  }

  /// Keeps a part, whose key is new, whatever must go for it; `isGone` hears of that.
  mutating func keep(
    _ part: Part,
    bytes size: Int,
    for key: Key,
    isGone: (Part) -> Void = { _ in }
  ) {
    while bytes + size > bytesMax, !slots.isEmpty {
      var place = random()
      for _ in 1..<Self.choices {
        let other = random()
        if slots[other].lastUse < slots[place].lastUse { place = other }
      }
      isGone(slots[place].part)
      remove(at: place)
    }
    uses &+= 1
    places[key] = slots.count
    slots.append(Slot(key: key, part: part, bytes: size, lastUse: uses))
    bytes += size
  }

  /// Gives up a part, if it is there.
  mutating func remove(_ key: Key) {
    if let place = places[key] { remove(at: place) }
  }

  mutating func removeAll() {
    slots.removeAll()
    places.removeAll()
    bytes = 0
  }

  private mutating func remove(at place: Int) {
    bytes -= slots[place].bytes
    places[slots[place].key] = nil
    let last = slots.removeLast()
    guard place < slots.count else { return }
    slots[place] = last
    places[last.key] = place
  }

  /// A place by xorshift: the same run gives up the same parts.
  private mutating func random() -> Int {
    chance ^= chance << 13
    chance ^= chance >> 7
    chance ^= chance << 17
    return Int(chance % UInt64(slots.count))
  }
}
