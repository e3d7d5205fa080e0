// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceJudging
import Glibc
import LifetraceLifecycle
import LifetraceRules
import Support
import LifetraceTrace

/// The fold alone, and all rules together, on the workload "a day of app life".
func benchmarkModel(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = size == .small ? 50_000 : 2_000_000
  var names = Names()
  var streams: [WriterID: (WriterAttributes, [Event])] = [:]
  var day = DayTrace(seed: 1) { chunk in
    let payload = try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names)
    let events = try payload.decode()
    streams[chunk.header.writer, default: (chunk.header.attributes, [])].1 += events
  }
  try day.run(events: count)
  let writers = streams.sorted { $0.key < $1.key }.map { (id: $0.key, attributes: $0.value.0) }
  let batches = writers.map { streams[$0.id]?.1 ?? [] }
  let events = Double(batches.reduce(0) { $0 + $1.count })
  let source = MemorySource(
    zip(writers, batches).map {
      MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $1)
    },
    names: names
  )
  var objects = 0
  var verdicts = 0
  let times = interleaved(
    rounds: size == .small ? 1 : 5,
    [
      { objects += batches.reduce(0) { $0 + fold($1, names) } },
      {
        verdicts += Judgement().checker(of: source).finish().count
      },
    ]
  )
  guard objects > 0, verdicts > 0 else { throw BenchmarkFailure(text: "nothing was folded") }
  let rate = events / times[1] * 1_000
  return [
    BenchmarkRow(
      "fold alone",
      "\(fixed(times[0] / events, 1)) ns an event",
      target: "at most 12",
      reached: times[0] / events <= 12
    ),
    BenchmarkRow(
      "all rules (\(RuleTable.infos.count)), a day of app life, one core",
      "\(fixed(rate, 1)) M events/s",
      peer: "Reelay 1.7-6.5 for one rule",
      target: "12 M events/s",
      reached: rate >= 12
    ),
  ]
}

@inline(never)
private func fold(_ events: [Event], _ names: Names) -> Int {
  var state = LifeState()
  state.apply(events.span, names: names)
  return state.data.count
}
