// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

extension AppFault {
  private static let object = Lifetrace.Object("fault")

  /// Saves to memory of the simulation: what is said is what counts.
  private static func save(_ version: UInt64) {
    object.flushing(version: version, bytes: 7)
    object.durable(version: version, level: .disk, bytes: 7)
  }

  /// Mistakes of apps that do save.
  static let overwriting: [AppFault] = [
    AppFault(
      rule: "DS04",
      others: [
        "DS01": "where it is suspended before", "DS02": "where it is purged then",
        "DS12": "no launch reads it, and the next saves over it",
      ],
      whyMore: "an app that is purged has no willTerminate, and none of its launches reads",
      words: "a save in willTerminate alone",
      moment: .willTerminate,
      before: (.didBecomeActive, { _ in object.dirty(bytes: 7) })
    ) { _ in save(1) },
    AppFault(
      rule: "DS05",
      others: ["DS01": "where it is suspended before", "DS02": "where it is purged then"],
      words: "no save for six minutes",
      moment: .didBecomeActive
    ) { _ in
      let version = object.dirty(bytes: 7)
      WorkQueue.main.asyncAfter(seconds: 360) { save(version) }
    },
    AppFault(
      rule: "DS06",
      others: [
        "DL02": "the callback takes as long",
        "DS12": "no launch reads it, and the next saves over it",
      ],
      words: "a save of seven seconds on the way out",
      moment: .didEnterBackground
    ) { application in
      let version = object.dirty(bytes: 7)
      object.flushing(version: version, bytes: 7)
      application.pass(seconds: 7)
      object.durable(version: version, level: .disk, bytes: 7)
    },
    AppFault(
      rule: "DS07",
      others: ["DS12": "the edit is saved over it"],
      words: "what was saved is not read back",
      moment: .didEnterBackground,
      // The first launch looks, and finds nothing; later ones do not look.
      before: (.didFinishLaunching, { _ in object.restored(version: 0, bytes: 0) }),
      isBeforeFirstLifeOnly: true
    ) { _ in save(object.dirty(bytes: 7)) },
    AppFault(
      rule: "DS09",
      others: ["DS01": "it is not saved", "DS02": "where the life then ends, it is lost"],
      words: "a deferred save taken back",
      moment: .willResignActive,
      before: (
        .didBecomeActive,
        { _ in
          object.dirty(bytes: 7)
          Lifetrace.Resource("fault", .pendingSave).acquire()
        }
      )
    ) { _ in Lifetrace.Resource("fault", .pendingSave).release() },
    AppFault(rule: "DS11", words: "a temporary file left behind", moment: .didBecomeActive) { _ in
      Lifetrace.Resource("export.pdf", .temporaryFile).acquire()
    },
    AppFault(
      rule: "DS14",
      others: [
        "BT10": "the suspension freezes the request",
        "DS12": "no launch reads it, and the next saves over it",
      ],
      words: "an item given up with its request, which has no answer",
      moment: .didBecomeActive,
      before: (.didFinishLaunching, { _ in save(object.dirty(bytes: 7)) })
    ) { _ in
      WorkQueue(label: "sending").async {
        _ = Lifetrace.beginWork("upload", kind: .network)
        object.discarded()
      }
    },
    AppFault(rule: "DS12", words: "the file read back over an edit", moment: .didBecomeActive) {
      _ in
      save(object.dirty(bytes: 7))
      let newer = object.dirty(bytes: 8)
      object.restored(version: newer - 1, bytes: 7)
      save(newer)
    },
  ]
}
