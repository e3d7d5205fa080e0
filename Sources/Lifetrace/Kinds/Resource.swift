// SPDX-License-Identifier: Apache-2.0

extension Lifetrace {
  /// Something that the app holds and must give back.
  public struct Resource: Hashable, Sendable {
    /// What it is called in the trace.
    public let name: Name
    /// The class of the resource: file, socket, lock and so on.
    public let kind: ResourceClass
    /// What matters of it, by its class.
    ///
    /// Of a lock `shared` or `private`; of a file its protection class, such as `complete`; of a
    /// view `sensitive`; of a socket `listening` or `bonjour`; of media `game`, `movie`, `audio`,
    /// `camera` or `airplay`; of a cache the notification that makes it stale, such as
    /// `NSCurrentLocaleDidChange`, behind which it is acquired again or released before its next
    /// use, also where it is renewed in place; of a timer `once`, where it fires once; of a timer or a query that
    /// goes on in an inactive app `critical`. Of other things `queue`, for a queue whose work can
    /// wait and which is held while it runs, `system-database`, for contacts or calendars in use,
    /// `file-presenter`, while it is registered, `url`, for a URL that the app was given and has not
    /// read, `later-url`, for one that a scene is given which is there already, for as long as that
    /// call lasts, and `transaction`, for what comes again until the app acknowledges it: a purchase, a
    /// message of a server's queue, a change token; its release is the acknowledgement (a thing named
    /// `transaction` needs no attribute). `session`, for a visit as analytics count it, from its begin
    /// to its end; and `previous-end`, which is used once at a launch that says what it takes the end
    /// of the one before for, by its name: `crash`, `watchdog`, `hang` or `memory`.
    public let attribute: Name
    /// Distinguishes several resources of one name.
    public let id: UInt64

    /// The resource of that name.
    public init(
      _ name: Name,
      _ kind: ResourceClass,
      attribute: Name = .none,
      id: UInt64 = 0
    ) {
      self.name = name
      self.kind = kind
      self.attribute = attribute
      self.id = id
    }

    /// It is held, open or shown from here.
    ///
    /// A lock is taken again by a thread that has it, and by several that share it: it is held until it is
    /// given back as often.
    public func acquire(file: StaticString = #fileID, line: UInt32 = #line) {
      say(.resourceAcquire, id, file, line)
    }

    /// It is given back.
    public func release(file: StaticString = #fileID, line: UInt32 = #line) {
      say(.resourceRelease, id, file, line)
    }

    /// The timer fired, the cache was read, the frame was drawn.
    public func use(value: Int = 0, file: StaticString = #fileID, line: UInt32 = #line) {
      say(.resourceUse, UInt64(bitPattern: Int64(value)), file, line)
    }

    private func say(_ event: Kind, _ last: UInt64, _ file: StaticString, _ line: UInt32) {
      guard isEnabled else { return }
      emit(
        event,
        Site("", file: file, line: line).id,
        UInt64(name.id),
        3,
        UInt64(kind.rawValue),
        UInt64(attribute.id),
        last
      )
    }
  }
}
