// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// The probe with scenes: it gets the scene callbacks and does nothing in them.
public final class ScenesDelegate: ApplicationDelegate {
  private final class Scene: SceneDelegate {}

  private let scene = Scene()

  /// A probe with one scene.
  public init() {}

  /// The scene half.
  public var sceneDelegate: (any SceneDelegate)? { scene }
}
