// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension LifeState {
  /// The same facts with the ids of another table, at the cost of a look-up for each name and site.
  package func renamed(from old: borrowing Names, to new: inout Names) -> LifeState {
    var renamed = self
    renamed.mapNames {
      new.intern(old[$0])
    } site: {
      new.intern($0, from: old)
    }
    return renamed
  }

  /// That nothing is known up to the last event: no fact, and no ledger that would say so.
  package var unknown: LifeState {
    var unknown = LifeState()
    unknown.lose(.all, since: lastTime)
    return unknown
  }

  /// Puts another id for each name and each site.
  private mutating func mapNames(
    _ name: (NameID) -> NameID,
    site: (SiteID) -> SiteID
  ) {
    stateCause = name(stateCause)
    process.reason = name(process.reason)
    process.app = name(process.app)
    process.version = name(process.version)
    process.config = process.config.mapped {
      $0 = name($0)
      $1 = name($1)
    }
    if let ending = process.ending {
      process.ending?.cause = name(ending.cause)
      process.ending?.evidence = name(ending.evidence)
    }
    data = data.mapped {
      $0 = name($0)
      $1.name = $0
      $1.mapSites(site)
    }
    tasks = tasks.mapped {
      $1.name = name($1.name)
      $1.site = site($1.site)
    }
    notifications = notifications.mapped {
      $0 = NotificationKey(name($0.type), name($0.key))
      ($1.type, $1.key) = ($0.type, $0.key)
      $1.firstValue = name($1.firstValue)
      $1.lastValue = name($1.lastValue)
    }
    spans = spans.mapped {
      if $1.kind == .waitBegin { $1.detail = Self.word($1.detail, name) }
      if $1.kind == .workBegin { $1.queue = Self.word($1.queue, name) }
      $1.site = site($1.site)
    }
    wakes = wakes.mapped { $1.reason = name($1.reason) }
    deadlines = deadlines.mapped { $1.what = name($1.what) }
    resources = resources.mapped {
      $0 = ResourceKey(name($0.name), $0.classCode, $0.id)
      $1.name = $0.name
      $1.attribute = name($1.attribute)
      $1.site = site($1.site)
    }
    sharedHolds = sharedHolds.mapped {
      $0.name = name($0.name)
      $1.name = $0.name
      $1.attribute = name($1.attribute)
      $1.site = site($1.site)
    }
  }

  private static func word(_ word: UInt64, _ name: (NameID) -> NameID) -> UInt64 {
    UInt64(name(NameID(rawValue: UInt32(truncatingIfNeeded: word))).rawValue)
  }
}

extension DataObject {
  fileprivate mutating func mapSites(_ site: (SiteID) -> SiteID) {
    dirty?.mapSite(site)
    firstUnsaved?.mapSite(site)
    firstAfterFlush?.mapSite(site)
    if let flush = flushing { flushing?.site = site(flush.site) }
  }
}

extension DataObject.Edit {
  fileprivate mutating func mapSite(_ map: (SiteID) -> SiteID) { site = map(site) }
}

extension FlatTable {
  /// The pairs as `change` has left them, each found by its new key.
  fileprivate func mapped(_ change: (inout Key, inout Value) -> Void) -> FlatTable {
    var mapped = FlatTable()
    for entry in entries {
      var (key, value) = (entry.key, entry.value)
      change(&key, &value)
      mapped.insert(value, for: key)
    }
    return mapped
  }
}

extension Names {
  /// The id here of a site of another table.
  fileprivate mutating func intern(_ id: SiteID, from old: borrowing Names) -> SiteID {
    guard id != .none else { return .none }
    var site = old[id]
    site.name = intern(old[site.name])
    site.file = intern(old[site.file])
    return intern(site)
  }
}
