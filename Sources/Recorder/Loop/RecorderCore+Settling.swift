// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// Up to where the order of a recording's events is settled: what others were shown stays in its place.
///
/// All open chunks are sealed together, four times a second, and the last of them says that
/// everything in the file is settled. Who follows takes what is settled, and no more. An event that
/// comes later with an earlier time (its thread was kept from the processor between its look at the
/// clock and its commit; its process was found late) keeps its time, and the recorder's reading of
/// the clocks just before it in its stream makes it stand behind: the order time of an event is the
/// greatest of its stream so far.
struct Settlement {
  /// No event from here on has an order time below.
  private(set) var end = HostTime(rawValue: .min)
  /// When it was settled last, on the host's clock.
  private(set) var last = HostTime(rawValue: .min)
  /// Whether chunks were sealed since.
  private(set) var hasOpen = false
  /// The greatest time of an event in the file.
  private var latest: HostTime

  /// Followers see an event no later than this after the recorder has read it.
  static let interval: Int64 = 250_000_000

  /// `latest` is the greatest time of an event that stands in the file already.
  init(latest: HostTime = HostTime(rawValue: .min)) {
    self.latest = latest
    if latest.rawValue > .min { end = latest.advanced(by: 1) }
  }

  func isDue(_ now: HostTime) -> Bool { now - last >= Self.interval }

  /// Takes note of a chunk that is sealed, with events up to `time`; what its header says.
  mutating func seal(upTo time: HostTime, isLast: Bool) -> Settling {
    latest = max(latest, time)
    hasOpen = !isLast
    guard isLast else { return .open }
    end = latest.advanced(by: 1)
    return .settled
  }

  mutating func look(_ now: HostTime) { last = now }
}

extension RecorderCore {
  /// No event of a new stream may be earlier.
  var settledEnd: HostTime { settlement?.end ?? HostTime(rawValue: .min) }

  /// The least time that a record of a process is believed; a process begins with its start.
  func earliest(_ stream: WriterStream, _ limit: HostTime) -> Int64 {
    let start =
      settlement == nil ? fit.start : max(fit.start, stream.attributes.started.rawValue)
    return min(start, limit.rawValue)
  }

  /// Sees to it that events from `time` on stand behind what is settled; false where there was no room.
  func keepSettled(_ stream: WriterStream, before time: HostTime) -> Bool {
    guard let settlement, time < settlement.end, stream.intake.lastTime < settlement.end else {
      return true
    }
    // Nothing stands before the start of a process: that itself is not earlier.
    guard stream.intake.sequence > 0 else { return false }
    guard stream.intake.count + 1 < Chunk.rowsMax || seal(stream) else { return false }
    appendClock(to: stream, at: settlement.end)
    return true
  }

  private func appendClock(to stream: WriterStream, at time: HostTime) {
    let clock = Payload.Clock(
      tick: clockReading.tick,
      monotonic: clockReading.monotonic,
      boottime: clockReading.boottime,
      real: clockReading.real
    )
    append(Event(clock, at: time, observer: .recorder), to: stream)
  }

  /// Seals all that is open, now and then.
  func settleWhenDue(_ now: HostTime) {
    guard let settlement, settlement.isDue(now) else { return }
    var open = live.filter { !$0.intake.isEmpty }
    if open.isEmpty {
      guard settlement.hasOpen else { return }
      // Full chunks were sealed, and nothing came since: something has to say that they are settled.
      appendClock(to: device, at: max(now, device.intake.lastTime))
      open = [device]
    }
    self.settlement?.look(now)
    for stream in open.dropLast() {
      guard seal(stream) else { return }
    }
    if let last = open.last { _ = seal(last, isLast: true) }
  }
}
