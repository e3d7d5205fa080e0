// SPDX-License-Identifier: Apache-2.0
import CLifetraceEvent
package import LifetraceOTLP
import LifetracePlatform

/// OTLP over HTTP, on the thread that runs it, in a process of its own.
///
///     OTLPServer(intake).serve(listener, until: SIGTERM)
///
/// Bodies, heads, silence and connections have limits; a sender that keeps to none of them costs its own
/// connection, and the others are served meanwhile.
package struct OTLPServer {
  /// Longer bodies are refused unread; those up to here are by the intake, which says more.
  static let bodyBytesMax = 2 * OTLPLimits.bodyBytesMax
  static let headBytesMax = 32 << 10
  /// A connection on which nothing comes is closed: SDKs send every few seconds, and connect anew.
  static let silenceSecondsMax: Int32 = 60
  /// More wait until one is closed.
  static let connectionsMax = 256

  private let intake: OTLPIntake

  /// A server that answers what the intake says.
  package init(_ intake: OTLPIntake) { self.intake = intake }

  /// Serves a socket that listens, until the process gets that signal; what has come is answered before.
  ///
  /// False where the system has no room for it.
  package func serve(_ listener: Int32, until signal: Int32) -> Bool {
    limitConnections()
    var limits = cevent_limits(
      head_bytes: Self.headBytesMax,
      body_bytes: Self.bodyBytesMax,
      silence_seconds: Self.silenceSecondsMax
    )
    var intake = intake
    return withUnsafeMutablePointer(to: &intake) { intake in
      let answer: cevent_handler = { place, request, reply in
        guard let place, let request else { return }
        let intake = place.assumingMemoryBound(to: OTLPIntake.self)
        OTLPServer.send(intake.pointee.answer(OTLPRequest(request.pointee)), to: reply)
      }
      return cevent_serve(listener, &limits, signal, answer, intake) == 0
    }
  }

  /// A process of its own opens little else: what it may open bounds its connections, and so its memory.
  private func limitConnections() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(Self.connectionsMax))
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static func send(_ answer: OTLPAnswer, to reply: OpaquePointer?) {
    let isMethod = answer.status == OTLPAnswer.Refusal.methodNotAllowed.rawValue
    answer.body.withUnsafeBufferPointer { body in
      cevent_answer(
        reply,
        Int32(answer.status),
        answer.reason,
        answer.contentType,
        isMethod ? "POST" : nil,
        body.baseAddress,
        body.count
      )
    }
  }
}

extension OTLPRequest {
  fileprivate init(_ request: cevent_request) {
    self.init(
      method: request.is_post == 1 ? "POST" : "another method",
      path: String(cString: request.path),
      contentType: String(cString: request.content_type),
      contentEncoding: String(cString: request.content_encoding),
      body: Array(UnsafeBufferPointer(start: request.body, count: request.count))
    )
  }
}
