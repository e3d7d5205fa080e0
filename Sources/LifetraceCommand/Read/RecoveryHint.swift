// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceRecorder
import LifetracePlatform
import LifetraceTraceFile

/// The way to what a killed recorder has left of a recording that has no end.
enum RecoveryHint {
  /// Nil where nothing of it was left.
  static func text(for reader: TraceReader) -> String? {
    reader.hasEnd || reader.isBeingWritten ? nil : text(for: reader.path)
  }

  /// The same of a file that could not be opened, as the one in which a flight recorder had nothing yet.
  static func text(for path: String) -> String? {
    let place = resolved(path)
    let (own, others) = SessionDirectory.orphansByRuntime()
    guard
      let session = (own + others).first(where: { session in
        SessionAbout(in: session).map { resolved($0.output) == place } ?? false
      })
    else { return nil }
    return
      "its recorder was killed or found no room; bring in what it left with: lifetrace record --recover"
      + (own.contains(session) ? "" : " \(session)")
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return absolutePath(path) }
    defer { free(real) }
    return String(cString: real)
  }
}
