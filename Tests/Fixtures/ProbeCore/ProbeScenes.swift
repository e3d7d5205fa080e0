// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// The probe with scenes: it gets the scene callbacks, and says which URLs come with them.
public final class ScenesDelegate: ApplicationDelegate {
  private final class Scene: SceneDelegate {
    func sceneWillConnect(_ application: Application, options: ConnectionOptions) {
      say("connected", options.urlContexts, application)
    }

    func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>) {
      say("opened", contexts, application)
    }

    private func say(_ how: String, _ urls: Set<OpenURLContext>, _ application: Application) {
      for one in urls {
        application.say("\(how) \(one.url) from \(one.sourceApplication ?? "nobody")")
      }
    }
  }

  private let scene = Scene()

  /// A probe with one scene.
  public init() {}

  /// Says what it should never hear: the URLs are the scene's.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if let url = launchOptions?[.url] { application.say("launched for \(url)") }
    return true
  }

  /// The scene half.
  public var sceneDelegate: (any SceneDelegate)? { scene }
}
