// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Buys tickets from a box office within its own time, prints them for as long as it may, and tells its
/// next launch what it did.
///
/// A wish is kept in a file of its own, until something is bought; the next launch puts one that is left
/// into the list, and only then removes it.
/// Printing goes on in the background until it is done or the time is up, and again at the next visit.
///
///     - tell: {buy: "row 7"}
///     - tell: {wish: "the front row"}
///     - tell: {print: all}
final class Tickets: ApplicationDelegate {
  private let tickets: Document
  private let wish: Document
  private let office = WorkQueue(label: "box office")
  private let printer = WorkQueue(label: "printer")
  /// A message to the next launch.
  private let handoff: SmallFile
  private var (isPrinting, hasBought) = (false, false)
  private var page: DelayedWork?
  private var task = BackgroundTaskIdentifier.invalid

  init(_ home: Home) {
    tickets = Document("tickets.txt", in: home)
    wish = Document("wish.txt", in: home)
    handoff = SmallFile(path: home.directory + "/handoff")
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    tickets.load()
    receiveHandoff()
    wish.load()
    if !wish.text.isEmpty {
      tickets.edit(tickets.text + "wished: \(wish.text)\n")
      guard (try? tickets.save()) != nil else { return true }
      wish.remove()
    }
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    switch word {
    case "buy": buy(value, application)
    case "wish": wish.editForNow(value)
    case "print": isPrinting = true
    default: break
    }
  }

  func applicationWillResignActive(_ application: Application) { wish.saveOrLog() }

  func applicationDidEnterBackground(_ application: Application) {
    if handoff.content == nil { handoff.put(Lifetrace.send(to: "tickets", bytes: 32).bytes) }
    if hasBought, !wish.text.isEmpty {
      wish.remove()
      hasBought = false
    }
    guard isPrinting, task == .invalid else { return }
    task = application.beginBackgroundTask(withName: "print") { [weak self] in
      MainActor.assumeIsolated { self?.stopPrinting(application) }
    }
    if task != .invalid { printPage(application) }
  }

  func applicationWillEnterForeground(_ application: Application) { stopPrinting(application) }

  /// Asks the box office, which answers well within the time that the user is told.
  private func buy(_ seat: String, _ application: Application) {
    hasBought = true
    let activity = BackgroundActivity("buy", of: application)
    office.async { [tickets] in
      let deadline = Lifetrace.openDeadline("answer", budget: .seconds(5))
      Lifetrace.work("buy", kind: .network) { application.pass(seconds: 1) }
      tickets.edit(tickets.text + seat + "\n")
      tickets.saveOrLog()
      deadline.close()
      activity.end()
    }
  }

  private func printPage(_ application: Application) {
    page = WorkQueue.main.asyncAfter(seconds: 2) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.task != .invalid else { return }
        Lifetrace.work("page", kind: .compute) { application.pass(seconds: 0.01) }
        self.printPage(application)
      }
    }
  }

  private func stopPrinting(_ application: Application) {
    page?.cancel()
    page = nil
    guard task != .invalid else { return }
    application.endBackgroundTask(task)
    task = .invalid
  }

  private func receiveHandoff() {
    guard let bytes = handoff.content else { return }
    handoff.remove()
    guard let context = try? Lifetrace.MessageContext(bytes: bytes) else { return }
    Lifetrace.receive(context, from: "tickets", bytes: bytes.count)
  }
}
