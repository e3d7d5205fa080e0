// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Two long background tasks side by side, and one around each save in the foreground.
///
///     - tell: {photo: beach}       # into the album, which is written and not synced
final class Uploader: ApplicationDelegate {
  private let album: Document
  private let saving = WorkQueue(label: "saving album")
  private let uploading = WorkQueue(label: "uploading")
  private let shrinking = WorkQueue(label: "shrinking")

  init(_ home: Home) { album = Document("album.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    album.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "photo" else { return }
    album.edit(album.text + value + "\n")
    album.save(on: saving, of: application, level: .kernel)
  }

  func applicationDidEnterBackground(_ application: Application) {
    let upload = BackgroundActivity("upload", of: application)
    let thumbnails = BackgroundActivity("thumbnails", of: application)
    uploading.async {
      Lifetrace.work("upload", kind: .network) { application.pass(seconds: 18) }
      application.say("uploaded")
      upload.end()
    }
    shrinking.async {
      Lifetrace.work("shrink", kind: .compute) { application.pass(seconds: 8) }
      application.say("shrunk")
      thumbnails.end()
    }
  }
}
