// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A deferred save that is cancelled is made some other way before the app is suspended.
///
///     Deferred { scene, save, isSure in Story("the deferred save of … was cancelled", …) }
///
/// One that is still pending then is part of the story of what was not saved.
struct Deferred: Pattern {
  /// A save that was put off, and taken back.
  struct Cancelled: Opened {
    let object: NameID
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// More than this at once are not followed.
  private static let cancelledMax = 256
  let says: @Sendable (Scene, (DataObject, Cancelled), _ isSure: Bool) -> Story
  private(set) var cancelled: [Cancelled] = []
  private(set) var hasDeferred = false

  init(says: @escaping @Sendable (Scene, (DataObject, Cancelled), _ isSure: Bool) -> Story) {
    self.says = says
  }

  var attention: [Trigger] {
    [.event(.resourceAcquire), .event(.resourceRelease), .event(.suspend), .event(.transition)]
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .resourceAcquire:
      guard Payload.ResourceAcquire(event).class.value == .pendingSave else { return }
      hasDeferred = true
      let name = names.known(event.identityName)
      cancelled.removeAll { $0.object == name }
    case .resourceRelease:
      guard Payload.ResourceRelease(event).class.value == .pendingSave else { return }
      let name = names.known(event.identityName)
      cancelled.removeAll { $0.object == name }
      guard context.hasRoom(cancelled.count, of: Self.cancelledMax, for: "save put off") else {
        return
      }
      cancelled.append(
        Cancelled(object: name, time: event.time, sequence: event.sequence, site: event.site)
      )
    default:
      guard hasDeferred, context.change?.suspends == true else { return }
      judge(event, &context, names)
    }
  }

  private func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var isKept = true
    for object in context.state.unsaved(at: .kernel) where object.flushing == nil {
      guard let edit = object.firstUnsaved ?? object.dirty else { continue }
      // A save that has failed since was not cancelled.
      let cancelled = cancelled.last {
        $0.object == object.name && $0.time >= edit.time
          && object.lastFailure.map { failure in failure.time < edit.time } ?? true
      }
      guard let cancelled else { continue }
      isKept = false
      let doubt: Sentence? =
        context.doubt(.data, since: edit.time).map { "a save may be missing: \($0)" }
      context.say(.broken(unless: doubt), object: object.name, event, names) {
        says($0, (object, cancelled), doubt == nil)
      }
    }
    if isKept { context.held() }
  }
}
