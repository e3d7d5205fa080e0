// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

/// The scene form of the state callbacks (iOS 13 and later).
///
/// An app whose delegate returns one gets these in place of the four state
/// callbacks of ``ApplicationDelegate``, and its URLs here; the notifications of the application
/// are posted all the same. The runtime has one scene.
@MainActor
public protocol SceneDelegate: AnyObject {
  /// The scene is being made, after didFinishLaunching; a URL that it is made for is in the options.
  func sceneWillConnect(_ application: Application, options: ConnectionOptions)
  /// Also called on a cold launch, unlike its app-delegate twin.
  func sceneWillEnterForeground(_ application: Application)
  /// The scene gets touches from here.
  func sceneDidBecomeActive(_ application: Application)
  /// The scene is about to lose touches.
  func sceneWillResignActive(_ application: Application)
  /// The scene is off the screen.
  func sceneDidEnterBackground(_ application: Application)
  /// Another app or the user opens URLs while the scene is there, in place of the app delegate's `open`.
  func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>)
  /// The system took the scene back.
  func sceneDidDisconnect(_ application: Application)
}

/// A URL to open, and the app that asks for it.
public struct OpenURLContext: Sendable, Hashable {
  /// The URL as text.
  public var url: String
  /// The bundle identifier of the app that asks, where it is known.
  public var sourceApplication: String?

  init(_ opened: SystemEvent.OpenedURL) {
    url = opened.url
    sourceApplication = opened.source
  }
}

extension SceneDelegate {
  /// Does nothing.
  public func sceneWillConnect(_ application: Application, options: ConnectionOptions) {}
  /// Does nothing.
  public func sceneWillEnterForeground(_ application: Application) {}
  /// Does nothing.
  public func sceneDidBecomeActive(_ application: Application) {}
  /// Does nothing.
  public func sceneWillResignActive(_ application: Application) {}
  /// Does nothing.
  public func sceneDidEnterBackground(_ application: Application) {}
  /// Does nothing.
  public func scene(_ application: Application, openURLContexts contexts: Set<OpenURLContext>) {}
  /// Does nothing.
  public func sceneDidDisconnect(_ application: Application) {}
}
