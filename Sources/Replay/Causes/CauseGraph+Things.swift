// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension CauseGraph {
  /// A stale use leads to the change that waits to be delivered, where the app has not heard of it
  /// yet; any other to where the thing was taken.
  func used(_ scene: CauseScene) -> [CauseLink] {
    let use = Payload.ResourceUse(scene.event)
    let change = scene.state.notifications.values.first { $0.type == use.attribute }
    if let change { return [link(.posted, change.sequence, scene)].compactMap { $0 } }
    let thing = scene.state.resources.values.first {
      $0.name == use.name && $0.classCode == UInt8(truncatingIfNeeded: use.class.rawValue)
    }
    return began(thing?.sequence, scene)
  }

  /// What an observer did twice leads to its last registration.
  func observed(_ scene: CauseScene) -> [CauseLink] {
    let observers = scene.state.resources.values.filter { $0.name == scene.event.identityName }
    return [
      link(.held, observers.map(\.sequence).max(), scene, isHint: true)
    ].compactMap { $0 }
  }

  /// What is seen or held when a callback returns, for findings about that.
  func shown(_ scene: CauseScene) -> [CauseLink] {
    scene.state.resources.values.prefix(Self.openMax).compactMap {
      link(.held, $0.sequence, scene, until: scene.index, isHint: true)
    }
  }
}
