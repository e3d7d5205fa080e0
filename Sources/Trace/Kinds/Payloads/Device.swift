// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `device`: something happened to the device: lock, orientation, battery, reboot and so on.
  @frozen
  public struct Device: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .device }
    /// `lock`, `unlock`, `orientation`, `battery`, `memory-warning`, `reboot`, `disk`, `call` ….
    public var what: NameID
    /// What it is now; nil where it was not said.
    public var value: NameID?
    /// The same as a number; of `lock` the nanoseconds for which it has stood; nil where it was not said.
    public var number: Int64?

    /// What a writer says.
    @inlinable public init(what: NameID, value: NameID? = nil, number: Int64? = nil) {
      self.what = what
      self.value = value
      self.number = number
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.what = NameID(word: event.identity)
      self.value = event.argumentCount > 0 ? NameID(word: event.arguments.0) : nil
      self.number = event.argumentCount > 1 ? Int64(bitPattern: event.arguments.1) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: what.word, value?.word, number.map { UInt64(bitPattern: $0) })
    }
  }

  /// `touch`: the user touched a view.
  @frozen
  public struct Touch: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .touch }
    /// Which one.
    public var view: NameID

    /// What a writer says.
    @inlinable public init(view: NameID) {
      self.view = view
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.view = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(view.word) }
  }
}
