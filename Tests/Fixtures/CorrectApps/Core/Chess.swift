// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Thinks off the main thread within a deadline of its own, and waits there for what is asynchronous.
///
///     - tell: {move: e4}
///     - tell: {look-up: opening}
final class Chess: ApplicationDelegate {
  private let thinking = WorkQueue(label: "thinking")

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "move" { move(application) }
    if word == "look-up" { lookUp(application) }
  }

  private func move(_ application: Application) {
    let clock = Lifetrace.openDeadline("move", budget: .seconds(60))
    let activity = BackgroundActivity("think", of: application)
    let search = Lifetrace.beginWork("search", kind: .compute, queue: "thinking")
    thinking.async {
      Lifetrace.wait("for the tables") { application.pass(seconds: 1) }
      Lifetrace.work("evaluate", kind: .compute) { application.pass(seconds: 3) }
      search.end()
      clock.close()
      Lifetrace.mark("moved", .int("depth", 7))
      application.say("moved")
      activity.end()
    }
  }

  /// Its thread is free while it waits for the answer: the main thread is not blocked by that.
  private func lookUp(_ application: Application) {
    let activity = BackgroundActivity("look up", of: application)
    Task {
      await Lifetrace.work("ask the server", kind: .network) {
        try? await Task.sleep(for: .milliseconds(400))
      }
      activity.end()
    }
  }
}
