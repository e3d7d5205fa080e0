// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// What the processes of a recording say of the files that several apps of one machine may share.
///
///     shared.fate(of: object, lookedForBy: stream, at: time)   // who has removed it, and by what right
///
/// An app and its extensions share the folder of their group: what one of them has given up, or taken
/// away, is not lost to the other. Made by who has all streams at hand, before the rules look at the
/// first. A deed takes some 70 bytes.
package struct SharedData: Sendable, Equatable {
  /// What was done with a version.
  package enum Act: UInt8, Sendable, BitwiseCopyable {
    /// It reached the kernel, or more.
    case saved
    /// It was found.
    case read
    /// It was given up, and all before it.
    case discarded
    /// It was looked for, and nothing found.
    case missed
  }

  /// A word of a process about an object.
  package struct Deed: Sendable, Equatable {
    /// By name: who opens a file for itself numbers its names otherwise.
    package var object: String
    package var act: Act
    package var version: UInt64
    /// Of the content; 0 for none.
    package var hash: UInt64
    package var stream: StreamID
    package var sequence: UInt64
    package var time: HostTime

    /// An event of a stream.
    package init(
      _ act: Act,
      _ object: String,
      version: UInt64,
      hash: UInt64,
      stream: StreamID,
      sequence: UInt64,
      time: HostTime
    ) {
      (self.act, self.object, self.version, self.hash) = (act, object, version, hash)
      (self.stream, self.sequence, self.time) = (stream, sequence, time)
    }
  }

  /// A process.
  package struct Party: Sendable, Equatable {
    /// How it is called: `chat#1`.
    package var label: String
    /// Its app: lives of one app say what that itself did.
    package var app: String
    /// What tells its clock from others; times of one clock alone are compared.
    package var clock: String
    /// Whether events about data may be missing in its stream.
    package var isIncomplete: Bool

    /// The process of a stream.
    package init(label: String, app: String, clock: String, isIncomplete: Bool) {
      (self.label, self.app, self.clock) = (label, app, clock)
      self.isIncomplete = isIncomplete
    }
  }

  /// More deeds than this are not looked at.
  package static let deedsMax = 1 << 18

  /// By stream.
  private let parties: [Party]
  /// By object, in order of their times.
  private let deeds: [String: [Deed]]
  /// By hash: the reads of such content.
  private let reads: [UInt64: [Deed]]
  /// By content: who has saved it, and first when.
  private let savers: [Content: [Saver]]
  /// By object: the apps that have given some of it up.
  private let givers: [String: Set<String>]
  /// Whether there were too many: then none is known.
  private let areTooMany: Bool

  /// All `deeds` of the streams whose parties are `parties`; none of them count where there are more
  /// than ``deedsMax``.
  package init(_ deeds: [Deed], parties: [Party]) {
    self.parties = parties
    areTooMany = deeds.count > Self.deedsMax
    let known =
      areTooMany
      ? []
      : deeds.sorted { ($0.time, $0.stream, $0.sequence) < ($1.time, $1.stream, $1.sequence) }
    self.deeds = Dictionary(grouping: known, by: \.object)
    reads = Dictionary(grouping: known.filter { $0.act == .read && $0.hash != 0 }, by: \.hash)
    var savers: [Content: [Saver]] = [:]
    var givers: [String: Set<String>] = [:]
    for deed in known where parties.indices.contains(Int(deed.stream.rawValue)) {
      let party = parties[Int(deed.stream.rawValue)]
      let saver = Saver(app: party.app, clock: party.clock, time: deed.time)
      switch deed.act {
      case .saved where deed.hash != 0:
        if !savers[Content(deed), default: []].contains(where: saver.isOf) {
          savers[Content(deed), default: []].append(saver)
        }
      case .discarded: givers[deed.object, default: []].insert(party.app)
      default: break
      }
    }
    (self.savers, self.givers) = (savers, givers)
  }

  /// A version of an object, with what is in it.
  private struct Content: Hashable {
    let object: String
    let version: UInt64
    let hash: UInt64

    init(_ deed: Deed) { (object, version, hash) = (deed.object, deed.version, deed.hash) }
  }

  /// An app that has saved a content, and when it first did.
  private struct Saver: Equatable {
    let app: String
    let clock: String
    let time: HostTime

    /// Whether it is the same app by the same clock.
    func isOf(_ other: Saver) -> Bool { app == other.app && clock == other.clock }
  }

  /// What became of a file that is not there.
  enum Fate {
    /// No other process is known to have had a hand in it.
    case unknown
    /// Another process has given up what stood there, or has read it at another place since.
    case given
    /// Another process has removed it, having given up an older version alone.
    case removed(Deed, by: Deed)
    /// It may have been given up: why that is not known.
    case unclear(Sentence)
  }

  /// What became of `object`, whose file was empty when `stream` looked at `time`.
  ///
  /// Looks at what was said of the object since its last save, and further back only where another app
  /// has given some of it up.
  func fate(of object: String, lookedForBy stream: StreamID, at time: HostTime) -> Fate {
    let own = party(stream)
    if areTooMany {
      return .unclear("the recording says too much of data to compare its processes")
    }
    let all = deeds[object, default: []]
    let known = all[..<all.partitioningIndex { $0.time > time }]
    guard let save = known.last(where: { $0.act == .saved && party($0.stream).clock == own.clock })
    else { return .unknown }
    let saver = party(save.stream).app
    let since = known[known.partitioningIndex { $0.time >= save.time }...]
    let end = since.last {
      $0.act == .discarded && $0.version >= save.version && party($0.stream).clock == own.clock
    }
    if let end { return party(end.stream).app == own.app ? .unknown : .given }
    if isElsewhere(save, until: time) { return .given }
    guard givers[object, default: []].contains(where: { $0 != saver }),
      let end = known.last(where: {
        $0.act == .discarded && party($0.stream).app != saver && party($0.stream).clock == own.clock
      }),
      saver == own.app || party(end.stream).app == own.app,
      let proof = shares(party(end.stream), with: saver, known)
    else {
      let isTold = since.contains {
        $0.act == .discarded
          && unread(object, givenUp: $0.version, by: $0.stream, at: $0.time)?.save == save
      }
      return isTold ? .given : .unknown
    }
    if let one = [save, end].map({ party($0.stream) }).first(where: \.isIncomplete) {
      return .unclear("events of \(name: one.label) are missing")
    }
    // Two apps may each have a file of that name, and begin it with the same bytes.
    guard proof.version > 1 else {
      return .unclear("nothing but its first version shows that both have one file")
    }
    return .removed(save, by: end)
  }

  /// The process of a stream; a stranger for one that came later.
  func party(_ stream: StreamID) -> Party {
    let index = Int(stream.rawValue)
    guard parties.indices.contains(index) else {
      return Party(label: "", app: "", clock: "", isIncomplete: true)
    }
    return parties[index]
  }

  /// Whether the content that was saved has been read under another name since: it was taken away.
  private func isElsewhere(_ save: Deed, until time: HostTime) -> Bool {
    guard save.hash != 0 else { return false }
    return reads[save.hash, default: []].contains {
      $0.object != save.object && $0.version == save.version && $0.time >= save.time
        && $0.time <= time && party($0.stream).clock == party(save.stream).clock
    }
  }

  /// The last version that shows that `reader` has the file of `saver`: it has read there what that had
  /// saved, and not written it itself.
  private func shares(_ reader: Party, with saver: String, _ known: ArraySlice<Deed>) -> Deed? {
    known.last { read in
      guard read.act == .read, read.hash != 0, party(read.stream).app == reader.app,
        party(read.stream).clock == reader.clock
      else { return false }
      let before = savers[Content(read), default: []].filter {
        $0.clock == reader.clock && $0.time <= read.time
      }
      return !before.isEmpty && before.allSatisfy { $0.app == saver }
    }
  }
}

extension SharedData {
  /// A version that stood in a file, unread by the app that gave the file up.
  struct Unread: Sendable {
    let save: Deed
    /// When its app looked for it next, and found nothing; nil where it did not look.
    let look: Deed?
    /// Why the two may have a file each.
    let doubt: Sentence?
  }

  /// The newest version of `object`, which another app has saved in the file that `stream` gives up at `time`
  /// with no more than `version`; nil where it has read that, and where nothing shows that it is one file.
  ///
  /// Where both apps have read what the other has saved, the next look for it decides (``fate(of:lookedForBy:at:)``).
  func unread(_ object: String, givenUp version: UInt64, by stream: StreamID, at time: HostTime)
    -> Unread?
  {
    let own = party(stream)
    guard version > 0, !areTooMany else { return nil }
    let all = deeds[object, default: []]
    let now = all.partitioningIndex { $0.time > time }
    let known = all[..<now]
    guard let save = known.last(where: { $0.act == .saved && party($0.stream).clock == own.clock }),
      save.version > version, party(save.stream).app != own.app
    else { return nil }
    let saver = party(save.stream)
    let isKnown = known.contains {
      $0.time >= save.time && $0.version >= save.version && $0.act != .saved
        && (party($0.stream).app == own.app || $0.act == .discarded)
    }
    guard !isKnown, shares(own, with: saver.app, known) == nil,
      let proof = shares(saver, with: own.app, known)
    else { return nil }
    let next = all[now...].first {
      party($0.stream).clock == own.clock && ($0.act == .saved || party($0.stream).app == saver.app)
    }
    let look = next.flatMap { $0.act == .missed ? $0 : nil }
    var doubt: Sentence?
    if let one = [own, saver].first(where: \.isIncomplete) {
      doubt = "events of \(name: one.label) are missing"
    } else if look == nil, proof.version <= 1 {
      doubt = "nothing but its first version shows that both have one file"
    }
    return Unread(save: save, look: look, doubt: doubt)
  }
}

extension Checker {
  /// Whether some of its rules ask what other processes did with a file, and do not know it yet.
  package var asksForSharedData: Bool {
    !context.contents.pointee.knowsShared && enabled.contains { context.table[$0].looksAtSharers }
  }

  /// What it was told so.
  package var sharedData: SharedData? { context.contents.pointee.shared }

  /// Tells the rules what all processes say of files that they may share, before the first stream begins;
  /// nil where no two apps have files.
  package mutating func take(_ shared: SharedData?) {
    let contents = ownContext().contents
    contents.pointee.shared = shared
    contents.pointee.knowsShared = true
  }
}
