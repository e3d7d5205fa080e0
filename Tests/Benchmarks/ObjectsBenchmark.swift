// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceAssembly
import LifetraceTrace
import LifetraceTraceFile
import Support

/// Judging a life with thousands of data objects that the end loses: what an event costs beside one of a
/// life with few.
///
/// Each finding asks for its cause, and so for states: a cost for each object at each finding would
/// show here as a ratio of a hundred.
func benchmarkObjects(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let directory = try BenchmarkDirectory()
  let (events, many) = size == .small ? (3_000, 500) : (60_000, 10_000)
  var each: [Double] = []
  for objects in [many / 100, many] {
    let path = "\(directory.path)/\(objects).lifetrace"
    try writeLife(objects: objects, events: events, to: path)
    let taken = try (0..<5).map { _ in try run([lifetrace(), "check", path]).processor }
    each.append(median(taken) / Double(events) * 1e6)
  }
  let ratio = each[1] / each[0]
  return [
    BenchmarkRow(
      "check, \(many) objects in one life, an event",
      "\(fixed(each[1])) us",
      peer: "\(many / 100) objects: \(fixed(each[0])) us",
      target: size == .large ? "at most 10 x" : "",
      reached: size == .large ? ratio <= 10 : nil
    )
  ]
}

/// Edits of one object after the other, of which a fourth is not saved, and a purge.
private func writeLife(objects count: Int, events: Int, to path: String) throws {
  var names = Names()
  let app = names.intern("notes")
  let site = names.intern(
    Site(name: names.intern("edit"), file: names.intern("Notes/Editor.swift"), line: 41)
  )
  let objects = (0..<count).map { names.intern("object-\($0).txt") }
  var stream = StreamAssembler()
  let writer = try TraceWriter(path: path, options: .create)
  let started = HostTime(rawValue: 1_000_000_000)
  var header = ChunkHeader(
    writer: WriterID(high: 1, low: 1),
    attributes: WriterAttributes(app: "notes", role: .app),
    firstSequence: 0,
    clocks: [ClockBracket(tick: 0, monotonic: 0, boottime: 0, real: 0)]
  )
  header.attributes.started = started
  var sequence: UInt64 = 0
  func append(_ payload: some EventPayload, _ observer: Observer = .own) throws {
    let time = started.advanced(by: Int64(sequence) * 2_000)
    let event = Event(payload, at: time, site: site, observer: observer, sequence: sequence)
    stream.append(event, names)
    sequence += 1
    if stream.isFull { try writer.append(stream.seal(header, names: names)) }
  }
  let states: [AppState] = [.notRunning, .inactive, .active]
  for (from, to) in zip(states, states.dropFirst()) {
    try append(Payload.Transition(from: from, to: to, cause: app), .host)
  }
  var number = 0
  while sequence < events {
    let (object, version) = (objects[number % count], UInt64(number / count + 1))
    try append(Payload.DataDirty(object: object, version: version, bytes: 100, hash: 0))
    if (number + number / count) % 4 != 0 {
      try append(
        Payload.DataDurable(object: object, version: version, level: .disk, bytes: 100, hash: 0)
      )
    }
    number += 1
  }
  try append(Payload.Transition(from: .active, to: .inactive, cause: app), .host)
  try append(Payload.Transition(from: .inactive, to: .background, cause: app), .host)
  try append(Payload.Transition(from: .background, to: .suspended, cause: app), .host)
  let purge = names.intern("purge")
  try append(Payload.ProcessExit(cause: purge, code: 9, evidence: .empty), .recorder)
  try writer.append(stream.seal(header, names: names))
  try writer.finish(end: true)
}
