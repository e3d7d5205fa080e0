// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Prices change faster than they are saved: a slow save of an old one ends after that of a newer.
///
///     - tell: {archive: 99}        # a price, saved with its chart, which takes a second
///     - tell: {price: 101}         # a price, saved at once
final class Quotes: ApplicationDelegate {
  private let quote: Document
  private let slow = WorkQueue(label: "archiving")
  private let quick = WorkQueue(label: "quoting")

  init(_ home: Home) { quote = Document("quote.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    quote.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    quote.edit(value)
    guard word == "archive" else { return quote.save(on: quick, of: application) }
    let activity = BackgroundActivity("archive", of: application)
    slow.async { [quote] in
      do {
        try quote.save { price in
          application.pass(seconds: 1)
          return price
        }
      } catch { Lifetrace.log("\(error)", level: .error) }
      activity.end()
    }
  }
}
