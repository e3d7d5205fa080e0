// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Sells coins to its members, counts their visits, and says what it holds of the system and of others.
///
/// A touch buys a coin: it is acknowledged when it is saved. A visit lasts from the screen to the
/// background, over interruptions; one that an end has cut short is ended by the next launch. What it
/// owes its server is sent in the background.
///
///     - touch: coin
final class Club: ApplicationDelegate {
  private let coins: Document
  /// The number of the last visit, twice, and one more while it is open.
  private let lastVisit: SmallFile
  /// There while it is in front: what ends it then leaves it there.
  private let inUse: SmallFile
  private var visit: Lifetrace.Resource?
  private let card = Lifetrace.Resource("card", .view, attribute: "sensitive")
  private let server = Lifetrace.Resource("club.example.com", .socket)
  private let quiz = Lifetrace.Resource("quiz", .media, attribute: "game")
  private let dates = Lifetrace.Resource(
    "written dates",
    .cache,
    attribute: "NSCurrentLocaleDidChange"
  )
  private let network = WorkQueue(label: "network")
  private var (purchases, isOwing, isPlaying) = (UInt64(0), false, false)

  init(_ home: Home) {
    coins = Document("coins.txt", in: home)
    lastVisit = SmallFile(path: home.directory + "/visit")
    inUse = SmallFile(path: home.directory + "/in-use")
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    coins.load()
    // The user kills it from the switcher, and a power cut comes while it is away: what is left is its memory.
    if inUse.content != nil {
      Lifetrace.Resource("memory", .other, attribute: "previous-end").use()
      inUse.remove()
    }
    if let open = lastVisit.number, open % 2 == 1 {
      Self.visit(open / 2).release()
      lastVisit.put(number: open + 1)
    }
    application.pass(seconds: 0.001)
    Lifetrace.work("set the board up", kind: .compute) { application.pass(seconds: 0.01) }
    dates.acquire()
    dates.use()
    application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { [dates] _ in
      dates.release()
      dates.acquire()
      dates.use()
    }
    connect()
    return true
  }

  func applicationDidBecomeActive(_ application: Application) {
    inUse.put([1])
    card.acquire()
    server.use()
    guard visit == nil else { return }
    let number = (lastVisit.number ?? 0) / 2 + 1
    lastVisit.put(number: 2 * number + 1)
    visit = Self.visit(number)
    visit?.acquire()
  }

  func applicationWillResignActive(_ application: Application) {
    inUse.remove()
    card.release()
    if isPlaying { quiz.release() }
    isPlaying = false
  }

  func application(_ application: Application, didReceiveUnhandledTouch view: String) -> Bool {
    if !isPlaying { quiz.acquire() }
    isPlaying = true
    purchases += 1
    let bought = Lifetrace.Resource("coin", .other, attribute: "transaction", id: purchases)
    bought.acquire()
    coins.edit(coins.text + "o")
    coins.saveOrLog()
    bought.release()
    isOwing = true
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    endVisit()
    server.release()
    if isOwing { report(application) }
    isOwing = false
  }

  func applicationWillEnterForeground(_ application: Application) { connect() }

  func applicationWillTerminate(_ application: Application) {
    inUse.remove()
    endVisit()
  }

  private func connect() { server.acquire() }

  private func endVisit() {
    guard let open = lastVisit.number, open % 2 == 1 else { return }
    visit?.release()
    visit = nil
    lastVisit.put(number: open + 1)
  }

  private func report(_ application: Application) {
    let activity = BackgroundActivity("report", of: application)
    network.async {
      Lifetrace.work("report", kind: .network) { application.pass(seconds: 1) }
      activity.end()
    }
  }

  private static func visit(_ number: UInt64) -> Lifetrace.Resource {
    Lifetrace.Resource("visit", .other, attribute: "session", id: number)
  }
}

extension SmallFile {
  fileprivate var number: UInt64? {
    content.flatMap { bytes in
      bytes.count == 8 ? bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } : nil
    }
  }

  fileprivate func put(number: UInt64) { put(withUnsafeBytes(of: number, Array.init)) }
}
