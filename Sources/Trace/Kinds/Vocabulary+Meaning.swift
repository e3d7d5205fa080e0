// SPDX-License-Identifier: Apache-2.0

// Words of the vocabulary that mean more than their numbers say.

extension DurabilityLevel: Comparable {
  /// Ordered by how much the data survives.
  public static func < (left: DurabilityLevel, right: DurabilityLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ResourceClass {
  /// The resource that an import holds while its log does not rule out that the system suspends the app.
  public static let suspensionPossible = "suspension possible"
}

/// What a note of the recorder itself is about, as the name of its site.
public enum RecorderNote {
  /// A process that links the SDK could not join: the text says which and why, and the
  /// identity is the lower half of its writer, where that is known.
  public static let notJoined = "not joined"
}

/// What the host of a scenario notes as an event of the device, at the beginning of its recording.
public enum DeviceNote {
  /// What apps find of earlier runs: ``keptData``, or there is no such note.
  public static let data = "data"
  /// They find all of it.
  public static let keptData = "kept: apps find what earlier runs have left"
}

/// How an end that no party saw is known, as `process.exit` says it.
public enum ExitEvidence {
  /// It ended between its last event and a recovery.
  public static let goneAtRecovery = "gone at recovery"
  /// A log names another process of the app; this one wrote until the time of its exit.
  public static let behindLastLine = "a successor; it wrote until here"
  /// A log names another process of the app; this one may have been suspended before.
  public static let beforeSuccessor = "a successor; it may have been suspended"

  /// Where such an end lies, seen from its event, and why that is known; nil for one that was seen.
  public static func words(_ evidence: String) -> (place: String, reason: String)? {
    let successor = "gone by the time the log names its successor"
    return switch evidence {
    case goneAtRecovery: ("from here on", "it was gone when the recording was recovered")
    case behindLastLine: ("from here on", successor)
    case beforeSuccessor: ("up to here", successor)
    default: nil
    }
  }
}
