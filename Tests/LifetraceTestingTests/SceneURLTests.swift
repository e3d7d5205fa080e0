// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceApp
import LifetraceTesting
import Testing

/// Who gets the URL of an app with scenes, and that nobody gets it twice.
@Suite("URLs of an app with scenes")
@MainActor
struct SceneURLTests {
  /// Notes every callback that could tell of a URL.
  private final class Delegate: ApplicationDelegate, SceneDelegate {
    private(set) var heard: [String] = []
    let hasScene: Bool

    init(hasScene: Bool) { self.hasScene = hasScene }

    var sceneDelegate: (any SceneDelegate)? { hasScene ? self : nil }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      heard.append("launched for \(launchOptions?[.url] ?? "nothing")")
      return true
    }

    func application(
      _ app: Application,
      open url: String,
      options: [Application.OpenURLOptionsKey: Any]
    ) -> Bool {
      heard.append("app opens \(url)")
      return true
    }

    func sceneWillConnect(_ application: Application, options: ConnectionOptions) {
      heard.append("connected for \(options.urlContexts.map(\.url))")
    }

    func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>) {
      heard.append("scene opens \(contexts.map(\.url))")
    }

    func sceneDidBecomeActive(_ application: Application) { heard.append("active") }
    func applicationDidBecomeActive(_ application: Application) { heard.append("active") }
  }

  private func heard(profile: String, hasScene: Bool) throws -> [String] {
    let text = """
      app: scenes
      profile: \(profile)
      steps:
      - launch: {url: "a:1"}
      - home
      - suspend
      - open-url: "a:2"
      - purge: {how: jetsam}
      - launch: {reason: location}
      - open-url: "a:3"
      """
    let delegate = Delegate(hasScene: hasScene)
    var configuration = Application.Configuration(bundleIdentifier: "scenes")
    configuration.scenes = true
    let scenario = try Scenario(parsing: text, file: "scenes.yml")
    let life = try Simulator(scenario, configuration: configuration) { delegate }.play()
    #expect(life.report.failures.isEmpty)
    return delegate.heard
  }

  @Test("The scene gets them: at its connection, and then by itself")
  func scenes() throws {
    let told = try heard(profile: "ios13", hasScene: true)
    let wanted = [
      "launched for nothing", "connected for [\"a:1\"]", "active", "scene opens [\"a:2\"]",
      "active", "launched for nothing", "connected for [\"a:3\"]", "active",
    ]
    #expect(told == wanted)
  }

  @Test(
    "The app delegate gets them where there is no scene delegate, or the system has no scenes",
    arguments: [("ios13", false), ("ios7", true)]
  )
  func noScenes(profile: String, hasScene: Bool) throws {
    let told = try heard(profile: profile, hasScene: hasScene)
    let wanted = [
      "launched for a:1", "app opens a:1", "active", "app opens a:2", "active",
      "launched for nothing", "app opens a:3", "active",
    ]
    #expect(told == wanted)
  }
}
