// SPDX-License-Identifier: Apache-2.0

/// The scene form of the state callbacks (iOS 13 and later).
///
/// An app whose delegate returns one gets these in place of the four state
/// callbacks of ``ApplicationDelegate``; the notifications of the application
/// are posted all the same. The runtime has one scene.
@MainActor
public protocol SceneDelegate: AnyObject {
  /// The scene is being made, after didFinishLaunching.
  func sceneWillConnect(_ application: Application)
  /// Also called on a cold launch, unlike its app-delegate twin.
  func sceneWillEnterForeground(_ application: Application)
  /// The scene gets touches from here.
  func sceneDidBecomeActive(_ application: Application)
  /// The scene is about to lose touches.
  func sceneWillResignActive(_ application: Application)
  /// The scene is off the screen.
  func sceneDidEnterBackground(_ application: Application)
  /// The system took the scene back.
  func sceneDidDisconnect(_ application: Application)
}

extension SceneDelegate {
  /// Does nothing.
  public func sceneWillConnect(_ application: Application) {}
  /// Does nothing.
  public func sceneWillEnterForeground(_ application: Application) {}
  /// Does nothing.
  public func sceneDidBecomeActive(_ application: Application) {}
  /// Does nothing.
  public func sceneWillResignActive(_ application: Application) {}
  /// Does nothing.
  public func sceneDidEnterBackground(_ application: Application) {}
  /// Does nothing.
  public func sceneDidDisconnect(_ application: Application) {}
}
