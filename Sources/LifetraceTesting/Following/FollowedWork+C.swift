// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen

extension FollowedWork {
  /// The functions that C calls, on whatever thread is followed.
  static func follower(
    _ context: UnsafeMutableRawPointer,
    _ kinds: UnsafeMutablePointer<UInt32>
  ) -> lt_follower {
    lt_follower(
      context: context,
      kinds: kinds,
      take: { of($0)?.take($1) },
      take_after: { if let group = $1 { of($0)?.takeAfter(group, $2) } },
      expect: { context, count in
        of(context)?.expect(Int(count))
        // A thread keeps it alive for as long as it runs.
        guard let context else { return }
        let this = Unmanaged<FollowedWork>.fromOpaque(context)
        if count > 0 { _ = this.retain() } else { this.release() }
      },
      run: { context, body, argument in
        guard let context, let body else { return }
        let this = Unmanaged<FollowedWork>.fromOpaque(context).takeRetainedValue()
        this.run { body(argument) }
      },
      pass: { of($0)?.pass(until: $1) ?? LT_PASSING_STUCK },
      deadline: { of($0)?.surroundings?.time(in: $1) ?? .max },
      park: { context, change in of(context)?.state.withLock { $0.parked += Int(change) } },
      wait: { of($0)?.wait($1.map { String(cString: $0) }, Int($2)) },
      limit: { of($0)?.noteLimit() },
      sleep: { of($0)?.sleep(nanoseconds: $1) },
      nap: { context, change in of(context)?.state.withLock { $0.napping += Int(change) } },
      listens: { context, socket in
        of(context)?.state.withLock {
          if $0.listening.count < FollowedWork.listeningMax { $0.listening.insert(socket) }
        }
      }
    )
  }
}

private func of(_ context: UnsafeMutableRawPointer?) -> FollowedWork? {
  context.map { Unmanaged<FollowedWork>.fromOpaque($0).takeUnretainedValue() }
}
