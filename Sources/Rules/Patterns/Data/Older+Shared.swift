// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// A file that several apps share is removed by one of them: what that gave up is not lost.

extension Older {
  /// Whether what other processes have done with the file says why nothing was found; tells it where one
  /// of them has removed what it had not given up.
  mutating func isExplained(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ look: Look,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    guard found.version == 0, found.bytes == 0, object.openFlushes.isEmpty,
      let shared = context.contents.pointee.shared
    else { return false }
    let (stream, name) = (context.stream, names[object.name])
    switch shared.fate(of: name, lookedForBy: stream, at: look.time) {
    case .unknown: return false
    case .given:
      context.held()
      return true
    case .removed(let save, let end):
      let told = context.before.removed.updateValue(save.version, forKey: object.name)
      if told != save.version {
        say(.removed(save, by: end), because: nil, object, event, &context, names)
      }
      return true
    case .unclear(let reason):
      // What this process expects to be there alone is a question.
      let inherited = object.inherited?.version ?? 0
      if let save = object.lastSave, save.version > object.discarded, save.content.bytes > 0 {
        say(.gone(save, look), because: reason, object, event, &context, names)
      } else if object.lastSave == nil, context.before.isLinked, inherited > object.discarded {
        let breach = Breach.found(found, kept: inherited, look)
        say(breach, because: reason, object, event, &context, names)
      } else {
        return false
      }
      return true
    }
  }

  /// A file that others share is given up: a newer version of another app may stand there, which this process
  /// has not read.
  func giveUpShared(
    _ name: NameID,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let shared = context.contents.pointee.shared, let object = context.state.data[name],
      let unread = shared.unread(
        names[name],
        givenUp: Payload.DataDiscarded(event).version,
        by: context.stream,
        at: event.time
      )
    else { return }
    say(.givenUp(unread), because: unread.doubt, object, event, &context, names)
  }
}
