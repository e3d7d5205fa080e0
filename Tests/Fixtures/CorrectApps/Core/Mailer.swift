// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Asks a process of its own for mail, and keeps what it answers.
///
///     - tell: {check: inbox}
final class Mailer: ApplicationDelegate {
  private let mails: Document
  private let helper: MailHelper
  private let checking = WorkQueue(label: "checking")

  init(_ home: Home) {
    mails = Document("mailbox.txt", in: home)
    helper = MailHelper(program: home.program)
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    mails.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "check" else { return }
    let activity = BackgroundActivity("check mail", of: application)
    checking.async { [mails, helper] in
      if let answer = helper.ask(value) {
        mails.edit(mails.text + answer + "\n")
        mails.saveOrLog()
      }
      application.say("checked")
      activity.end()
    }
  }
}
