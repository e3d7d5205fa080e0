// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// A processing task of 40 s: minutes are granted for that, not the half minute of other wakes.
final class Photos: ApplicationDelegate {
  private let faces: Document
  private let looking = WorkQueue(label: "looking for faces")

  init(_ home: Home) { faces = Document("faces.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    faces.load()
    return true
  }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    looking.async { [faces] in
      for picture in 1...4 {
        Lifetrace.work("look", kind: .compute) { application.pass(seconds: 10) }
        faces.edit(faces.text + "face \(picture)\n")
        faces.saveOrLog()
      }
      completionHandler(.newData)
    }
  }
}
