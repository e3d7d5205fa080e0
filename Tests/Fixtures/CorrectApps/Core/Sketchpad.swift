// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Saves by Swift's own concurrency on the way to the background, each under a background task.
///
///     - tell: {draw: task}         # or detached, sleep, actor: how the next save is made
final class Sketchpad: ApplicationDelegate {
  /// Keeps sketches one after the other.
  private actor Archive {
    func keep(_ sketch: Document) { sketch.saveOrLog() }
  }

  private let sketch: Document
  private let archive = Archive()
  private var way = ""

  init(_ home: Home) { sketch = Document("sketch.svg", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    sketch.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "draw" else { return }
    way = value
    sketch.editForNow(sketch.text + "<path id='\(value)'/>\n")
  }

  func applicationDidEnterBackground(_ application: Application) {
    guard sketch.isChanged else { return }
    let activity = BackgroundActivity("save sketch", of: application)
    switch way {
    case "task":
      Task {
        sketch.saveOrLog()
        activity.end()
      }
    case "detached":
      Task.detached { [sketch] in
        sketch.saveOrLog()
        activity.end()
      }
    case "sleep":
      Task { [sketch] in
        // For the last stroke to come to its end.
        try? await Task.sleep(for: .milliseconds(30))
        sketch.saveOrLog()
        activity.end()
      }
    default:
      Task { [sketch, archive] in
        await archive.keep(sketch)
        activity.end()
      }
    }
  }
}
