// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// A correct scene, but for the URLs that it is made for: it reads them, and they come to nothing.
final class ForgetfulScene: SceneDelegate {
  private let correct: any SceneDelegate

  init(_ correct: any SceneDelegate) { self.correct = correct }

  func sceneWillConnect(_ application: Application, options: ConnectionOptions) {
    _ = options.urlContexts
    var nothing = options
    nothing.urlContexts = []
    correct.sceneWillConnect(application, options: nothing)
  }

  func sceneWillEnterForeground(_ application: Application) {
    correct.sceneWillEnterForeground(application)
  }

  func sceneDidBecomeActive(_ application: Application) {
    correct.sceneDidBecomeActive(application)
  }

  func sceneWillResignActive(_ application: Application) {
    correct.sceneWillResignActive(application)
  }

  func sceneDidEnterBackground(_ application: Application) {
    correct.sceneDidEnterBackground(application)
  }

  func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>) {
    correct.scene(application, openURLContexts: contexts)
  }

  func sceneDidDisconnect(_ application: Application) { correct.sceneDidDisconnect(application) }
}
