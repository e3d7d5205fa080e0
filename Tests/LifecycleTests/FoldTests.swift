// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Testing
import LifetraceTrace

@Suite struct FoldTests {
  /// The edges that the guides draw, and the two that a trace adds.
  static let legal: Set<[AppState]> = [
    [.notRunning, .inactive], [.notRunning, .background], [.inactive, .active],
    [.active, .inactive], [.inactive, .background], [.background, .inactive],
    [.background, .suspended], [.suspended, .background], [.inactive, .notRunning],
    [.active, .notRunning], [.background, .notRunning], [.suspended, .notRunning],
  ]

  @Test func theEdgesAreThoseOfTheGuides() {
    for from in AppState.allCases {
      for to in AppState.allCases {
        let isKnown = from != .unknown && to != .unknown
        #expect(
          from.canBecome(to) == (!isKnown || Self.legal.contains([from, to])),
          "\(from) > \(to)"
        )
      }
    }
  }

  @Test func theStateFollowsEveryKindOfEvidence() {
    var fold = Fold()
    fold.add(.processStart)
    #expect(fold.state.appState == .notRunning)
    fold.go(.notRunning, .inactive)
    fold.go(.inactive, .background)
    fold.add(.suspend)
    #expect(fold.state.appState == .suspended)
    fold.go(.background, .suspended)
    #expect(fold.state.appState == .suspended)
    fold.add(.resume, after: 5)
    #expect(fold.state.appState == .background)
    #expect(fold.state.suspendedTotal == 7)
    fold.add(.suspend)
    fold.add(.purge)
    #expect(fold.state.appState == .notRunning)
    #expect(fold.state.process.ending?.state == .suspended)
    fold.add(.processExit, arguments: (0, 9, 0, 0))
    #expect(fold.state.process.ending?.code == 9)
  }

  @Test func anOlderFlushLowersNothing() throws {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    fold.data(.dataFlushing, 1)
    fold.data(.dataDirty, 2)
    fold.data(.dataFlushing, 2)
    fold.data(.dataDurable, 2, level: .disk)
    fold.data(.dataDurable, 1, level: .kernel)
    let object = try #require(fold.state.data[fold.object])
    #expect(object.durable[.kernel] == 2)
    #expect(object.durable[.remote] == 0)
    #expect(fold.state.unsaved(at: .disk).isEmpty)
    #expect(fold.state.unsaved(at: .remote).count == 1)
  }

  @Test func aSaveCoversOnlyWhatItBeganWith() throws {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    fold.data(.dataFlushing, 1)
    fold.data(.dataDirty, 2)
    fold.data(.dataDurable, 1, level: .kernel)
    let object = try #require(fold.state.unsaved(at: .kernel).first)
    #expect(object.firstUnsaved?.version == 2)
    #expect(object.firstUnsaved?.sequence == 3)
    fold.data(.dataDiscarded, 2)
    #expect(fold.state.unsaved(at: .kernel).isEmpty)
  }

  @Test func versionsThatNobodyNumberedAreNumbered() throws {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 0)
    fold.data(.dataFlushing, 0)
    fold.data(.dataDirty, 0)
    fold.data(.dataDurable, 0, level: .kernel)
    #expect(fold.state.unsaved(at: .kernel).first?.dirty?.version == 2)
  }

  @Test func aLossTaintsOnlyItsFamily() {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    fold.add(.loss, arguments: (UInt64(EventFamily.work.rawValue), 3, 0, 0))
    #expect(fold.state.completeness[.data].isWhole)
    #expect(!fold.state.completeness[.work].isWhole)
    #expect(fold.state.completeness[.work].lost == 3)
    #expect(fold.state.appState == .notRunning)
    fold.sequence += 4
    fold.add(.log)
    for family in EventFamily.allCases { #expect(!fold.state.completeness[family].isWhole) }
    #expect(fold.state.appState == .unknown)
  }

  /// What stands in for a chunk that cannot be read: anything may have been in it.
  @Test func aLossOfAnUnknownFamilyTaintsAll() {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    fold.add(.loss, arguments: (UInt64(EventFamily.unknown.rawValue), 1, 0, 0))
    for family in EventFamily.allCases { #expect(!fold.state.completeness[family].isWhole) }
    #expect(fold.state.completeness[.data].lost == 0)
    #expect(fold.state.completeness[.unknown].lost == 1)
  }

  /// In a log of whole seconds the save that is missing has the time of the edit.
  @Test func whatHasTheVeryTimeOfALossIsNotSure() {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    let edited = fold.time
    fold.sequence += 1
    fold.add(.log, after: -1)
    #expect(fold.time == edited)
    #expect(!fold.state.completeness[.data].covers(edited))
    fold.data(.dataDirty, 2)
    #expect(fold.state.completeness[.data].covers(fold.time))
    // Where nothing has the time of the loss, what comes with it is sure.
    fold.sequence += 1
    fold.data(.dataDirty, 3)
    #expect(fold.state.completeness[.data].covers(fold.time))
  }

  @Test func theNextIncarnationKnowsWhatWasLeft() throws {
    var fold = Fold()
    fold.add(.processStart)
    fold.data(.dataDirty, 1)
    fold.data(.dataDurable, 1, level: .kernel)
    fold.data(.dataDirty, 2)
    fold.add(.workBegin)
    var next = LifeState()
    next.beginIncarnation(after: fold.state, names: fold.names)
    #expect(next.spans.isEmpty)
    let kept = try #require(next.data[fold.object]?.inherited)
    #expect(kept.version == 1)
    #expect(kept.newest == 2)
    #expect(next.unsaved(at: .kernel).isEmpty)
    for cause in ["reboot", "power-loss"] {
      let ended = fold.names.intern(cause)
      fold.add(.processExit, arguments: (UInt64(ended.rawValue), 0, 0, 0))
      next.beginIncarnation(after: fold.state, names: fold.names)
      #expect(next.data[fold.object]?.inherited?.version == 0, "after \(cause)")
    }
  }

  @Test func tooMuchIsNoLossAndIsSaid() {
    var fold = Fold()
    fold.add(.processStart)
    for id in 0...UInt64(LifeState.openMax) { fold.add(.workBegin, identity: id) }
    #expect(fold.state.spans.count == LifeState.openMax)
    #expect(fold.state.completeness[.work].lost == 0)
    #expect(!fold.state.completeness[.work].isWhole)
    #expect(fold.state.doubt(.work) == .full(.work))
    // What it holds is as certain as before.
    #expect(fold.state.spans.values.allSatisfy { fold.state.doubt(.work, since: $0.time) == nil })
  }

  /// What there was no room for is not known to have ended, whatever is lost later; and a keyframe says so.
  @Test func aTableThatWasFullStaysSo() throws {
    var fold = Fold()
    fold.add(.processStart)
    for id in 0...UInt64(LifeState.openMax) { fold.add(.workBegin, identity: id) }
    #expect(fold.state.isFull(.spans))
    #expect(!fold.state.isFull(.tasks))
    fold.state.lose(FamilySet(.work), count: 3, since: fold.time)
    #expect(fold.state.isFull(.spans))
    for id in 0...UInt64(LifeState.openMax) { fold.add(.workEnd, identity: id) }
    #expect(fold.state.spans.isEmpty)
    #expect(fold.state.isFull(.spans))
    var names = Names()
    let read = try LifeState(decoding: fold.state.encode(names: fold.names), names: &names)
    #expect(read.isFull(.spans))
    #expect(read.completeness == fold.state.completeness)
  }

  /// So does one of a recording that began late.
  @Test func aTableOfALateRecordingMayBeFull() throws {
    var fold = Fold()
    for id in 0...UInt64(LifeState.objectsMax) {
      let object = fold.names.intern("o\(id)")
      fold.add(.dataDirty, identity: UInt64(object.rawValue), arguments: (1, 10, 0, 0))
    }
    #expect(fold.state.isFull(.data))
    var names = Names()
    let read = try LifeState(decoding: fold.state.encode(names: fold.names), names: &names)
    #expect(read.isFull(.data))
    #expect(!read.isFull(.spans))
  }

  @Test func runningTimeLeavesSuspensionsOut() {
    var fold = Fold()
    fold.add(.processStart)
    fold.add(.taskBegin, identity: 1)
    fold.add(.suspend, after: 10)
    fold.add(.resume, after: 60)
    fold.add(.log, after: 9)
    let task = fold.state.tasks[1]
    #expect(
      fold.state.running(
        since: task?.time ?? HostTime(rawValue: 0),
        suspendedBefore: 0,
        until: fold.time
      )
        == 21
    )
  }
}

/// A stream made by hand, one nanosecond an event.
struct Fold {
  var state = LifeState()
  var names = Names()
  var sequence: UInt64 = 0
  var time = HostTime(rawValue: 0)
  let object: NameID

  init() { object = names.intern("draft.txt") }

  mutating func add(
    _ kind: EventKind,
    after pause: Int64 = 0,
    identity: UInt64 = 0,
    arguments: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  ) {
    time = time.advanced(by: pause + 1)
    let event = Event(
      kind,
      at: time,
      identity: identity,
      arguments: arguments,
      argumentCount: 4,
      sequence: sequence
    )
    state.apply(event, names: names)
    sequence += 1
  }

  mutating func go(_ from: AppState, _ to: AppState) {
    add(.transition, arguments: (UInt64(from.rawValue), UInt64(to.rawValue), 0, 0))
  }

  mutating func data(
    _ kind: EventKind,
    _ version: UInt64,
    level: DurabilityLevel = .process,
    hash: UInt64 = 0
  ) {
    let isSave = [.dataDurable, .dataUnchanged, .dataCopied].contains(kind)
    let second = isSave ? UInt64(level.rawValue) : 10
    let arguments = (version, second, isSave ? 10 : hash, isSave ? hash : 0)
    add(kind, identity: UInt64(object.rawValue), arguments: arguments)
  }

  /// A save of `version` from its beginning to its end.
  mutating func save(_ version: UInt64, _ level: DurabilityLevel, hash: UInt64) {
    data(.dataFlushing, version, hash: hash)
    data(.dataDurable, version, level: level, hash: hash)
  }
}
