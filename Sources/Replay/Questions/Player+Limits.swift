// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceQuery
package import LifetraceTimeline
package import LifetraceTrace

extension Timeline {
  /// The times that the system sets a life, by `profile`, else by the one that the recording names first.
  package func limits(of stream: StreamID, by profile: Profile?) -> SystemLimits {
    let own = streams.lazy.map(\.attributes.profile).first { !$0.isEmpty }
    return SystemLimits(
      profile ?? own.flatMap(Profile.named) ?? .standard,
      timeScale: streams[Int(stream.rawValue)].attributes.timeScale
    )
  }
}

extension Player {
  /// The times that the system sets a life.
  package func limits(of stream: StreamID) -> SystemLimits {
    timeline.limits(of: stream, by: profile)
  }
}
