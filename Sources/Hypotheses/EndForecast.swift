// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// What an end of a process right behind one of its events would leave of its data.
///
///     let forecast = EndForecast(state, at: .kernel)
///     forecast.losses[0].fate            // .lost
///
/// It follows from the facts at that event, so from what the app itself says of its data. It claims
/// nothing of what comes behind: an app that had lived on, or another one, would do something else.
/// It costs a walk over the objects.
package struct EndForecast: Sendable {
  /// What becomes of the newest version of an object.
  package enum Fate: Sendable, Equatable {
    /// It is there at the next launch.
    case kept
    /// It is gone.
    case lost
    /// An end before this process lost it, and nothing has been made of the object since.
    case lostBefore
    /// It may be there, for that reason, or be gone.
    case open(DataObject.Survival)
    /// By its number it is saved, but its save wrote other bytes than the edit told.
    case otherBytes
    /// Events are missing that decide it.
    case unknown(Doubt)

    /// Whether the newest version is gone then; nil where that is not certain.
    package var isLost: Bool? {
      switch self {
      case .kept: false
      case .lost, .lostBefore: true
      case .open, .otherBytes, .unknown: nil
      }
    }
  }

  /// An object that was edited or saved.
  package struct Object: Sendable {
    package var name: NameID
    /// Its newest version, and the size of that in bytes.
    package var version: UInt64
    package var bytes: UInt64
    package var fate: Fate
    /// The version that the next launch finds, 0 for none; nil where that is not certain.
    package var leaves: UInt64?
  }

  /// What data had to reach to outlive the end: a power cut takes what was not synced.
  package let level: DurabilityLevel
  /// In order of their first edits.
  package let objects: [Object]
  /// Why objects may be missing of which nothing is known.
  package let doubt: Doubt?

  /// What an end right behind the last event that `state` has folded would leave, where `level`
  /// survives it.
  package init(_ state: LifeState, at level: DurabilityLevel) {
    self.level = level
    doubt = state.doubt(.data)
    objects = state.data.values.sorted { $0.age < $1.age }.compactMap { object in
      let version = object.newestVersion
      // What was given up nobody misses.
      guard version > object.discarded else { return nil }
      let fate = Self.fate(object, level, state)
      let left = object.inherited(at: level)
      let isCertain = fate.isLost != nil && !left.isDoubtful
      return Object(
        name: object.name,
        version: version,
        bytes: object.dirty?.bytes ?? object.lastSave?.content.bytes ?? object.inherited?.bytes
          ?? 0,
        fate: fate,
        leaves: isCertain ? left.inherited?.version : nil
      )
    }
  }

  /// Those of which the newest version is lost, or may be, by this end.
  package var losses: [Object] { objects.filter { $0.fate != .kept && $0.fate != .lostBefore } }

  private static func fate(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ state: LifeState
  ) -> Fate {
    guard object.isUnsaved(at: level) else {
      let inherited = object.inherited
      if object.dirty == nil, object.durable[.process] == 0, let inherited,
        inherited.newest > inherited.version
      {
        return .lostBefore
      }
      // A save of something older that is under way would replace it.
      if object.isBeingSaved { return .open(.saveUnderWay) }
      if object.saveOfOtherBytes != nil { return .otherBytes }
      let known = object.lastSave?.time ?? object.restored?.time ?? HostTime(rawValue: .min)
      return state.doubt(.data, since: known).map(Fate.unknown) ?? .kept
    }
    if let doubt = state.doubtOfSave(of: object) { return .unknown(doubt) }
    return object.survival(at: level).map(Fate.open) ?? .lost
  }
}

extension DataObject {
  /// The newest version that this process has made; of an object that it has not touched, what there was
  /// before; 0 for none.
  ///
  /// Where an end has taken the newest one, the next process counts on from what it finds, so that its
  /// newest may have a lower number than the one that was lost.
  fileprivate var newestVersion: UInt64 {
    let own = max(dirty?.version ?? 0, durable[.process])
    return own > 0 ? own : inherited?.newest ?? 0
  }

  /// The sequence number of its oldest edit that matters, for the order of a list.
  fileprivate var age: UInt64 {
    (firstUnsaved ?? dirty)?.sequence ?? lastSave?.sequence ?? restored?.sequence ?? 0
  }
}
