// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

// Locks are held by threads: shared by readers, and taken again by who has them. Such a lock is free when
// it was given back as often as it was taken.

extension LifeState {
  /// What a release on `thread` ends; nil where no such thing is held, or where the lock is to be given back
  /// once more.
  ///
  /// Of a lock it is what the thread of the release has, else, as who takes it need not be who gives it
  /// back, what its longest holder has.
  public func hold(of key: ResourceKey, endedOn thread: ThreadID) -> HeldResource? {
    guard let resource = resources[key] else { return nil }
    if resource.holds <= 1 { return resource }
    if let own = sharedHolds[HolderKey(key.name, thread, key.id)] {
      return own.holds <= 1 ? own : nil
    }
    return ownHolds(of: resource, key) <= 1 ? resource : nil
  }

  /// Whether a thing is held by nobody any more once it is given back once.
  public func isFree(after key: ResourceKey) -> Bool {
    resources[key].map { $0.holds <= 1 } ?? true
  }

  /// What is held, in no order: of a lock that several threads hold what each of them has.
  package var everyHold: [HeldResource] { Array(resources.values) + Array(sharedHolds.values) }

  /// How often its own thread has what is one of ``everyHold``; 1 of anything but a lock.
  package func holds(of hold: HeldResource) -> UInt32 {
    guard hold.holds > 1, !sharedHolds.isEmpty else { return max(1, hold.holds) }
    // Locks of one name have ids; the event that has begun a hold is of one.
    guard let lock = resources.entries.first(where: { $0.value.sequence == hold.sequence })?.key
    else { return hold.holds }
    return UInt32(ownHolds(of: hold, lock))
  }

  /// A lock that is held is taken once more, as `resource` says.
  mutating func share(_ resource: HeldResource, _ key: ResourceKey, at place: Int) {
    let held = resources.entries[place].value
    guard held.holds < Self.holdsMax else { return overflow(.resource) }
    resources.update(at: place) { $0.holds += 1 }
    guard held.thread != resource.thread else { return }
    let holder = HolderKey(key.name, resource.thread, key.id)
    if let own = sharedHolds.place(of: holder) {
      sharedHolds.update(at: own) { $0.holds += 1 }
    } else if sharedHolds.count < Self.openMax {
      sharedHolds.insert(resource, for: holder)
    } else {
      // It counts as taken again by who has it already.
      overflow(.resource)
    }
  }

  /// A thread gives back what is at `place`, once.
  ///
  /// Where the longest holder of a shared lock leaves, it takes as many steps as locks are shared.
  mutating func giveBack(_ key: ResourceKey, at place: Int, _ thread: ThreadID) {
    let held = resources.entries[place].value
    guard held.holds > 1 else { return resources.remove(at: place) }
    resources.update(at: place) { $0.holds -= 1 }
    if let own = sharedHolds.place(of: HolderKey(key.name, thread, key.id)) {
      let isOver = sharedHolds.update(at: own) { hold in
        hold.holds -= 1
        return hold.holds == 0
      }
      if isOver { sharedHolds.remove(at: own) }
    } else if ownHolds(of: held, key) == 1, let next = longestSharer(of: key) {
      var hold = sharedHolds.entries[next].value
      hold.holds = held.holds - 1
      resources.update(at: place) { $0 = hold }
      sharedHolds.remove(at: next)
    }
  }

  /// How often its longest holder has a lock.
  private func ownHolds(of lock: HeldResource, _ key: ResourceKey) -> UInt64 {
    UInt64(lock.holds) - sharedHolds(of: key)
  }

  /// How often the others have it.
  private func sharedHolds(of key: ResourceKey) -> UInt64 {
    sharedHolds.entries.reduce(0) { $1.key.lock == key ? $0 + UInt64($1.value.holds) : $0 }
  }

  private func longestSharer(of key: ResourceKey) -> Int? {
    sharedHolds.entries.indices.filter { sharedHolds.entries[$0].key.lock == key }
      .min { sharedHolds.entries[$0].value.sequence < sharedHolds.entries[$1].value.sequence }
  }

  /// Whether some lock is held more than once, or by nobody that said so: what the first version of the
  /// keyframe does not say.
  var hasCountedLocks: Bool { resources.values.contains { $0.holds != 1 } }

  /// Whether each lock is held as often as its further holders say, and by one thread more; nothing else
  /// is held but once.
  var areLocksConsistent: Bool {
    let areCounted = resources.entries.allSatisfy {
      $0.key.isLock ? $0.value.holds <= Self.holdsMax : $0.value.holds == 1
    }
    guard areCounted else { return false }
    var shared: [ResourceKey: UInt64] = [:]
    for entry in sharedHolds.entries {
      guard let lock = resources[entry.key.lock], lock.thread != entry.key.thread,
        entry.value.thread == entry.key.thread, entry.value.holds > 0
      else { return false }
      shared[entry.key.lock, default: 0] += UInt64(entry.value.holds)
    }
    return shared.allSatisfy { UInt64(resources[$0.key]?.holds ?? 0) > $0.value }
  }
}

extension ResourceKey {
  /// What a `resource.acquire` takes.
  package init(acquiredBy event: borrowing Event, _ names: borrowing Names) {
    let taken = Payload.ResourceAcquire(event)
    self.init(names.known(taken.name), UInt8(clamping: taken.class.rawValue), taken.id ?? 0)
  }

  /// What a `resource.release` gives back.
  package init(releasedBy event: borrowing Event, _ names: borrowing Names) {
    let given = Payload.ResourceRelease(event)
    self.init(names.known(given.name), UInt8(clamping: given.class.rawValue), given.id ?? 0)
  }

  /// Whether it is a lock, which is given back as often as it was taken.
  var isLock: Bool { classCode == ResourceClass.lock.rawValue }
}
