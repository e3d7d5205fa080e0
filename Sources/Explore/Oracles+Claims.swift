// SPDX-License-Identifier: Apache-2.0
import LifetraceHypotheses
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import LifetraceWords

// What was reported saved is asked for at the next launch, and what was not saved must not be there.

extension StagedLife {
  func forecasts(
    of state: LifeState,
    at level: DurabilityLevel,
    foundBy next: LifeState
  ) -> [Forecast] {
    EndForecast(state, at: level).objects.sorted { names[$0.name] < names[$1.name] }.compactMap {
      guard let found = next.data[$0.name]?.foundAtLaunch else { return nil }
      return Forecast(
        object: names[$0.name],
        newest: $0.version,
        isLost: $0.fate.isLost,
        leaves: $0.leaves,
        found: found.version
      )
    }
  }

  func claims(
    of state: LifeState,
    in dead: Int,
    at level: DurabilityLevel,
    foundBy next: LifeState,
    isAtRest: Bool
  ) -> [Found] {
    state.data.values.sorted { names[$0.name] < names[$1.name] }.compactMap { object in
      guard let found = next.data[object.name]?.foundAtLaunch else { return nil }
      return claim(object, level, found) ?? torn(object, found, dead)
        ?? (isAtRest || saysFlushing(object.name, dead) ? ledger(object, level, found) : nil)
    }
  }

  /// What was reported saved cannot be held against a launch that does not say what it found.
  func unread(of state: LifeState, at level: DurabilityLevel, by next: LifeState) -> Set<String> {
    let saved = state.data.values.filter {
      max($0.durable[level], $0.inherited?.version ?? 0) > $0.discarded
    }
    let untold = saved.filter { object in
      let found = next.data[object.name]
      // Who gives up what was left needs nothing of it.
      let isGivenUp = found.map { $0.discarded > 0 || $0.inherited?.version == 0 } ?? false
      return found?.foundAtLaunch == nil && !isGivenUp
    }
    return Set(untold.map { names[$0.name] })
  }

  /// The next launch must find at least the newest version that was reported to survive this.
  private func claim(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ found: DataObject.Restored
  ) -> Found? {
    let version = reported(object, at: level)
    guard version > 0, object.discarded < version else { return nil }
    let name = names[object.name]
    let said = "\(name): version \(version) was reported saved"
    let advice =
      "Put the new content in place in one step (write a file beside it, sync it, rename it), and "
      + "report it saved only behind that."
    // Bytes of which no version is known may be the ones that were saved.
    let isNothing = found.version == 0 && found.content.bytes == 0
    let stands = object.standing(at: level)
    if isNothing, stands?.bytes ?? 1 > 0 {
      return Found(.claim, name, "\(said), and the next launch found nothing of it", advice: advice)
    }
    // An edit that is taken back needs no save: an older version has the same bytes.
    let isSame = found.hash != 0 && found.content == stands
    if found.version > 0, found.version < version, !isSame {
      let older = "\(said), and the next launch found version \(found.version)"
      return Found(.claim, name, older, advice: advice)
    }
    guard let stands, found.hash != 0, found.content != stands, !object.isBeingSaved,
      found.version == version || found.version == 0
    else { return nil }
    return Found(.claim, name, "\(said), and the next launch found other bytes", advice: advice)
  }

  /// A launch that finds the version of an edit finds the bytes of that edit, where a file of this app
  /// holds them as they are.
  private func torn(_ object: DataObject, _ found: DataObject.Restored, _ dead: Int) -> Found? {
    guard let edit = object.dirty, edit.version > 0, found.version == edit.version,
      edit.hash != 0, found.hash != 0, found.hash != edit.hash, holdsEdits(object.name, dead)
    else { return nil }
    let name = names[object.name]
    return Found(
      .claim,
      name,
      "\(name): the next launch found version \(found.version) in bytes that nobody has made",
      advice: "Write a file beside it, sync it and rename it: what is there is then whole."
    )
  }

  /// Whether every save of the object has put the very bytes of its edit into the file.
  private func holdsEdits(_ object: NameID, _ stream: Int) -> Bool {
    var edits: [UInt64: UInt64] = [:]
    var isSeen = false
    for event in writers[stream].events where event.identityName == object {
      switch event.kind {
      case .dataDirty: edits[Payload.DataDirty(event).version] = Payload.DataDirty(event).hash
      case .dataDurable:
        let durable = Payload.DataDurable(event)
        guard durable.hash != 0, let edit = edits[durable.version], edit != 0 else { continue }
        guard edit == durable.hash else { return false }
        isSeen = true
      default: break
      }
    }
    return isSeen
  }

  /// Whether the process says of its saves of the object when they begin.
  private func saysFlushing(_ object: NameID, _ stream: Int) -> Bool {
    writers[stream].events.contains { $0.kind == .dataFlushing && $0.identityName == object }
  }

  /// What the trace calls lost for certain must not be there.
  ///
  /// Where no begin of a save is ever said, an end may always come into the middle of one, unless the app
  /// was suspended.
  private func ledger(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ found: DataObject.Restored
  ) -> Found? {
    guard object.isUnsaved(at: level), object.survival(at: level) == nil, let edit = object.dirty,
      edit.version > 0, found.version == edit.version, edit.hash == 0 || found.hash == edit.hash
    else { return nil }
    return Found(
      .ledger,
      names[object.name],
      "\(names[object.name]): version \(edit.version) was not reported saved, and was there all the same",
      advice: "Report each save that is made: Lifetrace.save does, and so does durable."
    )
  }

  // MARK: Saved and not synced

  /// The finding, told as what it is where the data had been saved and not synced: the newest version, or
  /// the newest but those of `newerAreInHand`, which no app could have saved yet.
  func lackingSync(
    _ found: Found,
    _ state: LifeState,
    _ level: DurabilityLevel,
    in stream: Int,
    newerAreInHand: Set<String>
  ) -> Found {
    guard found.kind.rule == "DS02",
      let object = state.data.values.first(where: { names[$0.name] == found.kind.object }),
      let newest = object.dirty
    else { return found }
    let saved = object.durable[.kernel]
    let isOlder = newerAreInHand.contains(found.kind.object)
    let isLacking =
      isOlder
      ? saved > max(object.durable[level], object.discarded)
      : object.survival(at: level) == .notSynced
    guard isLacking else { return found }
    var out = found
    out.kind.lack = .sync
    var (version, bytes) = (newest.version, newest.bytes)
    let edit = writers[stream].events.last {
      $0.kind == .dataDirty && $0.identityName == object.name
        && Payload.DataDirty($0).version == saved
    }
    if isOlder {
      guard let edit else { return found }
      (version, bytes) = (saved, Payload.DataDirty(edit).bytes)
      out.kind.site = EventText.source(edit.site, names)
      out.advice = DataObject.syncAdvice
    }
    out.title =
      "\(found.kind.object): version \(version) (\(Quantity.bytes(bytes))) had been saved and "
      + "not synced when the device restarted: what only the kernel has goes with the power"
    return out
  }
}
