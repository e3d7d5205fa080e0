// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// A game that holds all that an app may hold, and lets go of each where it should.
///
/// It draws and counts only while it is active, plays music that goes on by itself and a level that
/// goes on at a touch, and shares its scores through a socket of its own.
///
///     - tell: {score: "100"}
///     - tell: {quit: level}        # asks, and takes the question away when the app is left
final class Arcade: ApplicationDelegate {
  /// Frames a second, and how many are drawn until the picture stands.
  private static let (rate, framesMax) = (4.0, 16)

  private let scores: Document
  private let clock = Lifetrace.Resource("clock", .timer)
  private let music = Lifetrace.Resource("music", .media, attribute: "audio")
  private let level = Lifetrace.Resource("level", .media, attribute: "game")
  private let film = Lifetrace.Resource("intro", .media, attribute: "movie")
  private let query = Lifetrace.Resource("films", .query)
  private let question = Lifetrace.Resource("quit?", .alert)
  private let server = Lifetrace.Resource("scores.example.com", .socket)
  private let listener = Lifetrace.Resource(":8080", .socket, attribute: "listening")
  private let presenter = Lifetrace.Resource("scores.txt", .other, attribute: "file-presenter")
  private let dates = Lifetrace.Resource(
    "dates",
    .cache,
    attribute: "NSCurrentLocaleDidChange"
  )
  private let draft = Lifetrace.Resource("scores.txt.part", .temporaryFile)
  private var (isPaused, isAsking, hasStage) = (true, false, false)
  private var next: DelayedWork?
  private var frames = 0

  init(_ home: Home) { scores = Document("scores.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    scores.load()
    Lifetrace.work("read the levels", kind: .compute) { application.pass(seconds: 0.02) }
    dates.acquire()
    dates.use()
    application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { [dates] _ in
      dates.release()
      dates.acquire()
      dates.use()
    }
    openConnections()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "score" { scores.editForNow(scores.text + value + "\n") }
    guard word == "quit", !isAsking else { return }
    isAsking = true
    question.acquire()
  }

  func application(_ application: Application, didReceiveUnhandledTouch view: String) -> Bool {
    guard isPaused else { return false }
    isPaused = false
    level.acquire()
    server.use()
    return true
  }

  func applicationDidBecomeActive(_ application: Application) {
    if !hasStage { Lifetrace.work("set the stage up", kind: .gl) {} }
    hasStage = true
    clock.acquire()
    music.acquire()
    film.acquire()
    query.acquire()
    frames = 0
    goOn()
  }

  private func goOn() {
    next = WorkQueue.main.asyncAfter(seconds: 1 / Self.rate) { [weak self] in
      MainActor.assumeIsolated { self?.draw() }
    }
  }

  private func draw() {
    next = nil
    clock.use()
    Lifetrace.work("frame", kind: .gl) {}
    frames += 1
    if frames < Self.framesMax { goOn() }
  }

  func applicationWillResignActive(_ application: Application) {
    next?.cancel()
    next = nil
    clock.release()
    music.release()
    film.release()
    query.release()
    guard !isPaused else { return }
    isPaused = true
    level.release()
  }

  func applicationDidEnterBackground(_ application: Application) {
    if isAsking { question.release() }
    isAsking = false
    draft.acquire()
    scores.saveOrLog()
    Lifetrace.wait("for the last frame") { application.pass(seconds: 0.01) }
    draft.release()
    server.release()
    listener.release()
    presenter.release()
  }

  func applicationWillEnterForeground(_ application: Application) { openConnections() }

  private func openConnections() {
    server.acquire()
    listener.acquire()
    presenter.acquire()
  }
}
