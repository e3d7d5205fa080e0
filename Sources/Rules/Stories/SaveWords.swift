// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

extension DataObject {
  /// The fix for a version that was not saved, or not at `level`; where no save of it was ever seen, there may be one
  /// that was not reported; and one that was written to another file may live there now.
  func advice(_ fix: String, at level: DurabilityLevel) -> String {
    if isSavedShort(of: level) {
      return Self.syncAdvice
    }
    if lastCopy?.version == dirty?.version {
      return fix + " If the object lives in the other file now, say moved(to:) before that save."
    }
    let isSilent = lastSave == nil && lastCopy == nil && flushing == nil && failures == 0
    return isSilent ? fix + " If it was saved by other means, say durable(version:)." : fix
  }

  /// The fix for what was saved and not synced.
  package static var syncAdvice: String {
    "Fsync the file before the save counts, and its folder behind a rename; what only the kernel has is "
      + "gone with the power."
  }

  /// Whether its newest version was saved, but not so far that it survives what takes less than
  /// `level`.
  func isSavedShort(of level: DurabilityLevel) -> Bool {
    guard let lastSave, let dirty else { return false }
    return lastSave.version == dirty.version && lastSave.level == .kernel && level > .kernel
  }

  /// What is left of the object where its newest version goes, as a clause for `check` and `why`.
  ///
  /// Where it is not `isCertain`, saves may be missing.
  package func kept(at level: DurabilityLevel, isCertain: Bool) -> String {
    let newest = durable[level]
    if let lastSave, let restored, restored.sequence > lastSave.sequence,
      restored.version != lastSave.version, restored.version > 0 || restored.content.bytes == 0
    {
      return restored.version > 0
        ? "version \(restored.version), which it has read back since its last save, is what is left"
        : "what it had saved was not there when it looked again"
    }
    if newest > 0 {
      return isCertain
        ? "version \(newest) is saved" : "version \(newest) is the last that is known to be saved"
    }
    if let lastSave {
      return "version \(lastSave.version) was saved, but only to \(lastSave.level) level"
    }
    let run = isCertain ? "this run never saved it" : "no save of it in this run is known"
    if let inherited, inherited.version > 0 {
      if let restored, restored.version == 0, restored.content.bytes == 0 {
        return "\(run), and it had found nothing of it"
      }
      if [nil, 0, inherited.version].contains(restored?.version) {
        // Only a save that renames leaves the old bytes whole until it is done.
        let unless = flushing == nil ? "" : ", unless the save under way has written over it"
        return "\(run); version \(inherited.version) of the run before is what is left\(unless)"
      }
    }
    if let restored, restored.version > 0 {
      return "\(run); version \(restored.version), which it had read back, is what is left"
    }
    // A version that an earlier run had saved, and then given up, was one.
    if inherited != nil, let restored, restored.version == 0, restored.content.bytes == 0 {
      return "\(run), and it had found nothing of it"
    }
    return isCertain ? "no version of it was ever saved" : "no save of it is known"
  }
}
