// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Several files made one: facts in the order of time, on one clock.
///
///     var inputs = [log, crash]
///     let facts = LogJoin.join(&inputs)         // the crash ends the process of the log
///
/// Reports have a day and a zone. A log often has none: it is put on the day, and into the zone, of a
/// dated file that is about one of its processes, else of the first that is dated.
enum LogJoin {
  static func join(_ inputs: inout [LogInput]) -> LogFacts {
    if inputs.count == 1 { return inputs[0].facts }
    place(&inputs)
    let dated = inputs.first { $0.facts.dating.isDated }
    var dating = (dated ?? inputs[0]).facts.dating
    if let zoned = inputs.first(where: { $0.facts.dating.isDated && $0.facts.dating.hasZone }) {
      dating = zoned.facts.dating
    }
    var joined = LogFacts(
      names: inputs[inputs.count - 1].facts.names,
      files: [],
      facts: [],
      processes: [],
      lastTime: .min,
      dating: dating,
      map: inputs.lazy.compactMap(\.facts.map).first
    )
    for input in inputs { add(input.facts, to: &joined) }
    return joined
  }

  private static func add(_ part: LogFacts, to joined: inout LogFacts) {
    let (file, writer) = (joined.files.count, UInt32(joined.processes.count))
    joined.files += part.files
    joined.processes += part.processes.map { process in
      var process = process
      process.file += file
      return process
    }
    joined.facts += part.facts.map { fact in
      var fact = fact
      fact.writer += writer
      return fact
    }
    joined.lastTime = max(joined.lastTime, part.lastTime)
    joined.firstTime = [joined.firstTime, part.firstTime].compactMap(\.self).min()
  }

  // MARK: Days and zones

  /// Puts what lacks a day or a zone on the clock of what has them.
  private static func place(_ inputs: inout [LogInput]) {
    let zoned = inputs.filter { $0.facts.dating.isDated && $0.facts.dating.hasZone }
    for index in inputs.indices {
      let dating = inputs[index].facts.dating
      if dating.isDated, dating.hasZone { continue }
      if dating.isDated {
        guard let other = nearest(to: inputs[index], of: zoned) else { continue }
        shift(&inputs[index], by: -other.facts.dating.zone * 1_000_000_000, other.facts.dating)
        inputs[index].placed = "it says no zone, and is taken to be in that of \(name(other))"
      } else {
        let others = inputs.filter { $0.facts.dating.isDated && $0.placed.isEmpty }
        guard let other = nearest(to: inputs[index], of: others) else { continue }
        putOnDay(&inputs[index], of: other)
      }
    }
  }

  private static func name(_ input: LogInput) -> String { LogImport.fileName(input.path) }

  /// The input that is about a process of `log`, or the first.
  private static func nearest(to log: LogInput, of others: [LogInput]) -> LogInput? {
    others.first { moment(of: $0, for: log).isShared } ?? others.first
  }

  /// When a dated input is about a process of `log`, or when it begins.
  private static func moment(of other: LogInput, for log: LogInput)
    -> (time: Int64, isShared: Bool)
  {
    let pids = Set(log.facts.facts.map(\.pid) + log.facts.processes.map(\.pid)).subtracting([0])
    let known = Set(log.facts.processes.map(\.name))
    let shared = other.facts.facts.last { fact in
      pids.contains(fact.pid) || known.contains(other.facts.processes[Int(fact.writer)].name)
    }
    return (shared?.time ?? other.facts.lastTime, shared != nil)
  }

  private static func putOnDay(_ log: inout LogInput, of other: LogInput) {
    let day = LogStamp.dayNanoseconds
    let zone = log.facts.dating.hasZone ? log.facts.dating.zone : other.facts.dating.zone
    let shown = moment(of: other, for: log).time + zone * 1_000_000_000
    let (first, last) = (log.facts.firstTime ?? 0, max(log.facts.lastTime, 0))
    var days = (shown - first) / day
    if shown < first + days * day { days -= 1 }
    // Between the end of the log and its begin a day later: the nearer of the two.
    let behind = shown - days * day
    if behind > last, first + day - behind < behind - last { days += 1 }
    let date = WallClock(utc: 0).text(HostTime(rawValue: days * day)).prefix(10)
    log.placed = "no line says its day: it is put on \(date), by \(name(other))"
    var dating = other.facts.dating
    dating.zone = zone
    shift(&log, by: days * day - zone * 1_000_000_000, dating)
  }

  private static func shift(_ log: inout LogInput, by time: Int64, _ dating: LogFacts.Dating) {
    for index in log.facts.facts.indices {
      log.facts.facts[index].time += time
      log.facts.facts[index].order += time
    }
    for index in log.facts.processes.indices where log.facts.processes[index].latest != .min {
      log.facts.processes[index].latest += time
    }
    log.facts.firstTime = log.facts.firstTime.map { $0 + time }
    if log.facts.lastTime != .min { log.facts.lastTime += time }
    log.facts.dating = dating
  }
}
