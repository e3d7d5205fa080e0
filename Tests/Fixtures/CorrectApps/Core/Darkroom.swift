// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LifetraceApp

/// Saves by the system's queues on the way to the background, each under a background task.
///
///     - tell: {develop: main}      # or later, global, operation: how the next save is made
final class Darkroom: ApplicationDelegate {
  private let negative: Document
  private let operations = OperationQueue()
  private var way = ""

  init(_ home: Home) { negative = Document("negative.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    negative.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "develop" else { return }
    way = value
    negative.editForNow(negative.text + value + "\n")
  }

  func applicationDidEnterBackground(_ application: Application) {
    guard negative.isChanged else { return }
    let activity = BackgroundActivity("save negative", of: application)
    let save: @Sendable () -> Void = { [negative] in
      negative.saveOrLog()
      activity.end()
    }
    switch way {
    case "main": DispatchQueue.main.async(execute: save)
    case "later": DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(30), execute: save)
    case "global": DispatchQueue.global(qos: .utility).async(execute: save)
    default: operations.addOperation(save)
    }
  }
}
