// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// Plays on in the background, and keeps its place every five seconds.
///
///     - tell: {play: episode}
///     - control: pause             # from the headphones, in front or not
final class Podcast: ApplicationDelegate {
  /// Remote control comes to the first responder.
  private final class Player: View {
    weak var podcast: Podcast?

    override func controlReceived(_ event: String) -> Bool {
      guard let podcast else { return false }
      event == "play" ? podcast.play() : podcast.pause()
      return true
    }
  }

  private let place: Document
  private let saving = WorkQueue(label: "saving place")
  private let player = Player(name: "player")
  private let window = Window(name: "window")
  private var next: DelayedWork?
  private var seconds = 0

  init(_ home: Home) { place = Document("place.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    place.load()
    seconds = Int(place.text) ?? 0
    player.podcast = self
    window.addSubview(player)
    application.keyWindow = window
    player.becomeFirstResponder()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "play" { play() }
  }

  private func play() {
    next?.cancel()
    next = WorkQueue.main.asyncAfter(seconds: 5) { [weak self] in
      MainActor.assumeIsolated { self?.tick() }
    }
  }

  private func tick() {
    seconds += 5
    keepPlace()
    play()
  }

  private func pause() {
    next?.cancel()
    next = nil
    keepPlace()
  }

  private func keepPlace() {
    place.edit(String(seconds))
    place.save(on: saving, of: .shared, level: .kernel)
  }
}
