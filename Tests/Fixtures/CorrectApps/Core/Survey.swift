// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// Keeps nothing on the device: an answer is safe when the server has it, and is asked back at launch.
///
///     - tell: {answer: 42}
final class Survey: ApplicationDelegate {
  private let answers = Lifetrace.Object("answers")
  private let network = WorkQueue(label: "network")
  /// What the server has: one number, which is also the version.
  private let server: String

  init(_ home: Home) { server = home.directory + "/server" }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    answers.restored(version: received, bytes: 8)
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "answer" else { return }
    let version = answers.dirty(bytes: 8)
    let activity = BackgroundActivity("send answer", of: application)
    network.async { [answers] in
      Lifetrace.work("send", kind: .network) { application.pass(seconds: 2) }
      if self.send(version) {
        answers.durable(version: version, level: .remote, bytes: 8)
      } else {
        answers.failed(version: version, errno: errno, why: "server")
      }
      activity.end()
    }
  }

  private var received: UInt64 {
    let file = open(server, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var number: UInt64 = 0
    return read(file, &number, 8) == 8 ? number : 0
  }

  nonisolated private func send(_ number: UInt64) -> Bool {
    let file = open(server, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var number = number
    return pwrite(file, &number, 8, 0) == 8
  }
}
