// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// An app with a scene: URLs come with the connection, and wait for the address bar, or later; tabs are
/// saved when it leaves the screen.
final class Browser: ApplicationDelegate, SceneDelegate {
  private let tabs: Document
  private let saving = WorkQueue(label: "saving tabs")
  private let address = Lifetrace.Resource("address bar", .view)
  /// What it was launched for.
  private var waiting: Set<OpenURLContext> = []

  init(_ home: Home) { tabs = Document("tabs.txt", in: home) }

  var sceneDelegate: (any SceneDelegate)? { self }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    tabs.load()
    return true
  }

  func sceneWillConnect(_ application: Application, options: ConnectionOptions) {
    waiting = options.urlContexts
  }

  func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>) {
    open(contexts, application)
  }

  private func open(_ contexts: Set<OpenURLContext>, _ application: Application) {
    for context in contexts {
      tabs.editForNow(tabs.text + context.url + "\n")
      application.say("opened \(context.url)")
    }
  }

  func sceneDidBecomeActive(_ application: Application) {
    address.acquire()
    open(waiting, application)
    waiting = []
  }

  func sceneWillResignActive(_ application: Application) { address.release() }

  func sceneDidEnterBackground(_ application: Application) {
    tabs.save(on: saving, of: application)
  }
}
