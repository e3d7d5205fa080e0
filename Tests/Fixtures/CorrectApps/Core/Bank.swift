// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Every deposit is on the disk before it is shown: the power may fail at any time after it.
///
///     - tell: {deposit: 10}
final class Bank: ApplicationDelegate {
  private let account: Document
  private let booking = WorkQueue(label: "booking")

  init(_ home: Home) { account = Document("account.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    account.load()
    application.say("balance \(balance)")
    return true
  }

  private var balance: Int {
    account.text.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "deposit" else { return }
    account.edit(account.text + value + "\n")
    account.save(on: booking, of: application, level: .disk)
  }
}
