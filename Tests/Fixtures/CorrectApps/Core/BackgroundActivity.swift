// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import Synchronization

/// A background task that is ended once, by whoever comes first: the work, or the system whose time is up.
final class BackgroundActivity: Sendable {
  private let application: Application
  private let task = Mutex(BackgroundTaskIdentifier.invalid)

  init(_ name: String, of application: Application) {
    self.application = application
    let task = application.beginBackgroundTask(withName: name) { [weak self] in self?.end() }
    self.task.withLock { $0 = task }
  }

  func end() {
    let task = task.withLock { held in
      defer { held = .invalid }
      return held
    }
    if task != .invalid { application.endBackgroundTask(task) }
  }
}

extension Document {
  /// Saves it on `queue`, and keeps the app running until that is done.
  func save(on queue: WorkQueue, of application: Application, level: Lifetrace.Level = .disk) {
    guard isChanged else { return }
    let activity = BackgroundActivity("save \(object.name.string)", of: application)
    queue.async {
      self.saveOrLog(level: level)
      activity.end()
    }
  }
}
