// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// Woken by the next push while it still works on the one before: it never sleeps between them.
///
/// Each push begins its time in the background anew; what it does for one is short, and in a task.
final class Newsroom: ApplicationDelegate {
  private let stories: Document

  init(_ home: Home) { stories = Document("stories.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    stories.load()
    return true
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    let activity = BackgroundActivity("store a story", of: application)
    stories.edit(stories.text + "story\n")
    WorkQueue.main.asyncAfter(seconds: 5) { [stories] in
      stories.saveOrLog()
      activity.end()
    }
    // The answer may take its time; the work is done by then.
    WorkQueue.main.asyncAfter(seconds: 20) { completionHandler(.newData) }
  }
}
