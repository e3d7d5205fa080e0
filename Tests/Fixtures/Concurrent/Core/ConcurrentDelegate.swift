// SPDX-License-Identifier: Apache-2.0
import Lifetrace
public import LifetraceApp

/// An app that keeps one list, edits it when it is launched, and saves it on its way out.
@MainActor
public final class ConcurrentDelegate: ApplicationDelegate {
  private let form: ConcurrentSave?
  private let list = Lifetrace.Object("list.json")
  private let path: String
  private let usesTask: Bool

  /// An app without a form does not save.
  public init(form: ConcurrentSave?, path: String, usesTask: Bool) {
    self.form = form
    self.path = path
    self.usesTask = usesTask
  }

  /// The same by the arguments of a process: form, path, and whether it uses a task.
  public convenience init(arguments: [String]) {
    let usesTask = arguments.last == "task"
    self.init(form: ConcurrentSave(rawValue: arguments[1]), path: arguments[2], usesTask: usesTask)
  }

  /// It restores the list, and edits it.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    _ = try? Lifetrace.restore(list, from: path)
    list.dirty(bytes: 8)
    return true
  }

  /// It saves the list.
  public func applicationDidEnterBackground(_ application: Application) {
    let task = usesTask ? application.beginBackgroundTask(withName: "save") {} : .invalid
    save { if task != .invalid { application.endBackgroundTask(task) } }
  }

  /// It saves the list, and answers then.
  public func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { save { completionHandler(.newData) } }

  private func save(_ done: @escaping @Sendable () -> Void) {
    let (list, path) = (self.list, self.path)
    form?.run {
      try? Lifetrace.save(list, to: path) { Array("contents".utf8) }
      done()
    }
  }
}
