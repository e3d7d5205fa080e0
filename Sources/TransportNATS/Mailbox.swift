// SPDX-License-Identifier: Apache-2.0
#if NATS
internal import LifetracePlatform
internal import LifetraceTransport

/// Messages on their way from the threads of the C library to the one that uses the link.
///
/// `@unchecked`: everything in it is touched with the mutex held, by those threads in ``put(_:)``,
/// ``note(_:)`` and ``close()``, and by the user of the link in ``next(within:)``.
final class Mailbox: @unchecked Sendable {
  /// More are not taken in: the user is slower than the server, and what it asks for is bounded.
  static let messagesMax = 8_192

  private var messages: [LinkMessage] = []
  private var taken = 0
  private var isClosed = false
  private var problem: String?
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// A message has come.
  func put(_ message: LinkMessage) {
    pthread_mutex_lock(mutex)
    if messages.count - taken < Self.messagesMax {
      messages.append(message)
    } else {
      isClosed = true
    }
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// The server has complained.
  func note(_ text: String) {
    pthread_mutex_lock(mutex)
    problem = text
    pthread_mutex_unlock(mutex)
  }

  /// The connection is gone.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// What the server has complained of since it was asked last.
  func takeProblem() -> String? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    defer { problem = nil }
    return problem
  }

  /// The next message; nil behind the time, or at the end of the connection, which is the second part.
  func next(within milliseconds: Int) -> (LinkMessage?, isClosed: Bool) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if taken == messages.count, milliseconds > 0, !isClosed {
      var until = timespec()
      clock_gettime(CLOCK_MONOTONIC, &until)
      let nanoseconds = until.tv_nsec + milliseconds % 1_000 * 1_000_000
      until.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
      until.tv_nsec = nanoseconds % 1_000_000_000
      while taken == messages.count, !isClosed,
        pthread_cond_timedwait(condition, mutex, &until) == 0
      {}
    }
    guard taken < messages.count else { return (nil, isClosed) }
    let message = messages[taken]
    taken += 1
    if taken == messages.count || taken >= 1_024 {
      messages.removeFirst(taken)
      taken = 0
    }
    return (message, isClosed)
  }
}
#endif
