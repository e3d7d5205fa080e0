// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family NQ: notifications that waited for a suspended app.
enum Notifications {
  static let family = RuleFamily(
    "NQ",
    "Queued notifications",
    [
      once, undone, last, lost, inTime, asleep, listed, observed, fresh, quick, connected,
      readAgain, handledOnce,
    ]
  )

  static let once = Rule(
    "NQ01",
    "A change that was queued while the app was suspended is delivered once.",
    source: "App Programming Guide: a single notification of each relevant type",
    fix: "Suspect the system, or a simulator that does not net its queue.",
    Once(
      family: .notification,
      missing: "a post",
      event: .notificationDelivered,
      key: {
        let delivered = Payload.NotificationDelivered($0)
        return NotificationKey(delivered.type, delivered.key)
      },
      renewal: .notificationPosted,
      renewed: {
        let posted = Payload.NotificationPosted($0)
        return NotificationKey(posted.type, posted.key)
      },
      hasWaited: { $1.state.notifications[$0]?.whileSuspended ?? false }
    ) { scene, key, before, isSure in
      let about = scene.names[key.key]
      let which: Sentence = about.isEmpty ? "" : " (\(name: about))"
      return Story(
        "\(name: scene.names[key.type])\(which) was delivered twice after one suspension",
        isSure ? ["The first delivery was \(scene.since(before)) before."] : [],
        [scene.witness("delivered again")]
      )
    }
  )

  static let asleep = Rule(
    "NQ06",
    "No notification is delivered while the app is suspended.",
    source: "App Programming Guide: queued events are delivered when the app resumes",
    fix: "Suspect the system that delivers, or the clock that stamps the resume.",
    Each.never(
      .event(.notificationDelivered),
      countsOnce: true,
      early: .nothingAtOnce,
      showsUnknown: true,
      "delivered"
    ) { "\(name: $0.names[$0.event.identityName]) was delivered" }
  )
}
