// SPDX-License-Identifier: Apache-2.0

/// The field numbers of Perfetto's protocol that are written, by message.
///
/// They are those of `protos/perfetto/trace` in its repository, which never reuses one.
enum Perfetto {
  enum Trace { static let packet: UInt64 = 1 }

  enum Packet {
    static let clockSnapshot: UInt64 = 6
    static let timestamp: UInt64 = 8
    static let sequence: UInt64 = 10
    static let trackEvent: UInt64 = 11
    static let internedData: UInt64 = 12
    static let sequenceFlags: UInt64 = 13
    static let trackDescriptor: UInt64 = 60
  }

  /// `SequenceFlags`: what was interned before is forgotten; what was interned is needed.
  static let cleared: UInt64 = 1
  static let needsInterned: UInt64 = 2

  enum Event {
    static let categories: UInt64 = 3
    static let annotations: UInt64 = 4
    static let type: UInt64 = 9
    static let name: UInt64 = 10
    static let track: UInt64 = 11
    static let category: UInt64 = 22
    static let plainName: UInt64 = 23
    static let counterValue: UInt64 = 30
    static let source: UInt64 = 34
    static let flows: UInt64 = 47
    static let endingFlows: UInt64 = 48
  }

  /// `TrackEvent.Type`.
  enum EventType {
    static let sliceBegin: UInt64 = 1
    static let sliceEnd: UInt64 = 2
    static let instant: UInt64 = 3
    static let counter: UInt64 = 4
  }

  enum Annotation {
    static let name: UInt64 = 1
    static let bool: UInt64 = 2
    static let unsigned: UInt64 = 3
    static let signed: UInt64 = 4
    static let double: UInt64 = 5
    static let text: UInt64 = 6
    static let hexadecimal: UInt64 = 7
    static let plainName: UInt64 = 10
    static let internedText: UInt64 = 17
  }

  enum Interned {
    static let categories: UInt64 = 1
    static let eventNames: UInt64 = 2
    static let annotationNames: UInt64 = 3
    static let sources: UInt64 = 4
    static let texts: UInt64 = 29
    /// In each of them: its number, its text.
    static let number: UInt64 = 1
    static let text: UInt64 = 2
  }

  enum Source {
    static let file: UInt64 = 2
    static let function: UInt64 = 3
    static let line: UInt64 = 4
  }

  enum Track {
    static let uuid: UInt64 = 1
    static let name: UInt64 = 2
    static let process: UInt64 = 3
    static let thread: UInt64 = 4
    static let parent: UInt64 = 5
    static let counter: UInt64 = 8
    static let childOrdering: UInt64 = 11
    static let rank: UInt64 = 12
    /// A value of `ChildTracksOrdering`.
    static let explicit: UInt64 = 3
  }

  enum Process {
    static let pid: UInt64 = 1
    static let name: UInt64 = 6
  }

  enum Thread {
    static let pid: UInt64 = 1
    static let tid: UInt64 = 2
    static let name: UInt64 = 5
  }

  enum Counter {
    static let unit: UInt64 = 3
    static let unitName: UInt64 = 6
    /// Values of `Unit`.
    static let count: UInt64 = 2
    static let bytes: UInt64 = 3
  }

  enum Clocks {
    static let clock: UInt64 = 1
    static let id: UInt64 = 1
    static let time: UInt64 = 2
    static let primary: UInt64 = 2
    static let real: UInt64 = 1
    static let boot: UInt64 = 6
  }
}
