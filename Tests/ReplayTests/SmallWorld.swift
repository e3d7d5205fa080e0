// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import LifetraceTimeline
import LifetraceTrace

/// Two lives of an app and a daemon, in which everything happens at random.
struct SmallWorld {
  var names = Names()
  var writers: [MemorySource.Writer] = []

  init(seed: UInt64, events: Int) {
    var random = SeededRandom(seed: seed)
    let objects = ["draft.txt", "index.db", "settings"].map { UInt64(names.intern($0).rawValue) }
    let site = names.intern(
      Site(name: names.intern("didEnterBackground"), file: names.intern("Notes/App.swift"), line: 7)
    )
    for number in 0..<3 {
      var attributes = WriterAttributes(
        app: number < 2 ? "notes" : "syncd",
        role: number < 2 ? .app : .daemon
      )
      attributes.started = HostTime(rawValue: Int64(number))
      if number == 1 { attributes.previous = WriterID(high: 1, low: 0) }
      writers.append(
        MemorySource.Writer(
          id: WriterID(high: 1, low: UInt64(number)),
          attributes: attributes,
          events: [Event(.processStart, at: HostTime(rawValue: Int64(number)))]
        )
      )
    }
    let kinds: [EventKind] = [
      .dataDirty, .dataFlushing, .dataDurable, .dataRestored, .dataFailed, .dataDiscarded,
      .dataUnchanged, .dataCopied, .dataRead, .callbackBegin,
      .callbackEnd, .workBegin, .workEnd, .transition, .suspend, .resume, .taskBegin, .taskExpire,
      .taskEnd, .notificationPosted, .notificationDelivered, .wakeBegin, .wakeCompletion,
      .deadlineOpen, .deadlineClose, .resourceAcquire, .resourceRelease, .memorySample, .loss,
      .mark,
    ]
    for index in 0..<events {
      let time = HostTime(rawValue: Int64(10 + index * 3) - Int64.random(in: 0...4, using: &random))
      let kind = kinds[Int.random(in: kinds.indices, using: &random)]
      let object = objects[Int.random(in: objects.indices, using: &random)]
      let small = UInt64.random(in: 0...5, using: &random)
      let event = Event(
        kind,
        at: time,
        site: site,
        identity: kind.info?.identity?.type == .name ? object : small,
        arguments: (small, UInt64.random(in: 0...5, using: &random), small, 1),
        argumentCount: 4
      )
      let writer = index < events / 2 ? Int(small) % 2 * 2 : 1 + Int(small) % 2
      writers[writer].events.append(event)
    }
    for writer in writers.indices {
      for index in writers[writer].events.indices {
        writers[writer].events[index].sequence = UInt64(index)
      }
    }
  }

  func timeline(rows: Int, memory: Timeline.Memory? = nil) -> Timeline {
    Timeline(MemorySource(writers, names: names, rows: rows), memory: memory)
  }
}
