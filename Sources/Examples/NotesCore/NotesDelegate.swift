// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// A small note-taking app, with a bug that can be switched off.
///
/// The bug: nothing is saved on the way to the background, so that the last edit
/// exists in memory only while the debounced save is pending. With `--fixed` (or
/// `NOTES_FIXED=1`) the draft is flushed under a background task.
public final class NotesDelegate: ApplicationDelegate {
  /// How the app was started.
  public struct Options: Sendable {
    /// Flush the draft in didEnterBackground.
    public var fixed: Bool
    /// Where the notes are; nil for the folder that the system gives the app, else the current one.
    public var directory: String?

    /// The buggy app, unless said otherwise.
    public init(fixed: Bool = false, directory: String? = nil) {
      self.fixed = fixed
      self.directory = directory
    }
  }

  private let options: Options
  private var editor: Editor?
  /// The background task of the last flush, for its expiration handler.
  private var flushing = BackgroundTaskIdentifier.invalid

  /// The app, before its launch.
  public init(options: Options) { self.options = options }

  /// The draft as the user sees it.
  public var text: String { editor?.text ?? "" }

  /// Opens the store and shows the last draft.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    let directory = options.directory ?? application.dataDirectory ?? "."
    editor = Editor(store: Store(directory: directory))
    return true
  }

  /// The user's hand on the text view: `edit` replaces the draft.
  public func application(_ application: Application, told word: String, _ value: String) {
    if word == "edit" { editor?.edit(value) }
  }

  /// The place to save, which the buggy app forgets.
  public func applicationDidEnterBackground(_ application: Application) {
    guard options.fixed, let editor else { return }
    flushing = application.beginBackgroundTask(withName: "flush draft") {
      application.endBackgroundTask(self.flushing)
    }
    let task = flushing
    editor.flush { application.endBackgroundTask(task) }
  }
}
