// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

// Which lanes there are: devices and apps at once, what a process has when it is first used.

extension ExportPass where Format: ~Copyable {
  /// Declares devices, apps and processes, in order of their start.
  mutating func declareProcesses() {
    apps = Array(repeating: -1, count: processes.count)
    devices = Array(repeating: 0, count: processes.count)
    var deviceOfHost: [String: Lane.ID] = [:]
    var poolOfApp: [String: Int32] = [:]
    for stream in timeline.startOrder where !processes[stream].isOver {
      let attributes = facts.writers[stream].attributes
      let host = attributes.host
      let device =
        deviceOfHost[host]
        ?? declare(
          parent: nil,
          .device,
          host.isEmpty ? "device" : "device \(host)",
          nil,
          rank: deviceOfHost.count
        )
      deviceOfHost[host] = device
      devices[stream] = device
      let app = "\(host)\u{0}\(attributes.app)"
      if poolOfApp[app] == nil {
        poolOfApp[app] = pool(
          parent: device,
          .app,
          "app \(attributes.app)",
          nil,
          rank: poolOfApp.count
        )
      }
      apps[stream] = poolOfApp[app] ?? 0
      processes[stream].lane = declare(
        parent: nil,
        .process(StreamID(rawValue: UInt32(stream))),
        facts.labels[stream],
        StreamID(rawValue: UInt32(stream)),
        rank: stream
      )
    }
  }

  mutating func declare(
    parent: Lane.ID?,
    _ kind: Lane.Kind,
    _ name: String,
    _ stream: StreamID?,
    rank: Int
  ) -> Lane.ID {
    let lane = Lane(
      id: Lane.ID(latest.count),
      parent: parent,
      kind: kind,
      name: name,
      stream: stream,
      rank: rank
    )
    latest.append(.min)
    format.lane(lane)
    return lane.id
  }

  private mutating func declare(_ pool: Int) -> Lane.ID {
    let facts = pools[pool]
    return declare(parent: facts.parent, facts.kind, facts.name, facts.stream, rank: facts.rank)
  }

  private mutating func pool(
    parent: Lane.ID,
    _ kind: Lane.Kind,
    _ name: String,
    _ stream: StreamID?,
    rank: Int
  ) -> Int32 {
    pools.append(LanePool(parent: parent, kind: kind, name: name, stream: stream, rank: rank))
    return Int32(pools.count - 1)
  }

  /// The lane of a pool on which instants stand, and what is nested.
  @inline(__always)
  mutating func main(_ pool: Int32) -> Lane.ID {
    if let lane = pools[Int(pool)].main { return lane }
    let lane = declare(Int(pool))
    pools[Int(pool)].add(lane)
    return lane
  }

  /// A lane of a pool for something that need not lie in anything.
  mutating func take(_ pool: Int32, at time: Int64, from first: Int) -> (lane: Lane.ID, slot: Int32)
  {
    while true {
      if let (lane, slot) = pools[Int(pool)].take(at: time, from: first) {
        return (lane, Int32(slot))
      }
      let lane = declare(Int(pool))
      pools[Int(pool)].add(lane)
    }
  }

  // MARK: Of a process

  mutating func pool(_ stream: Int, _ group: LaneGroup) -> Int32 {
    let known = processes[stream].groups[group.rawValue]
    if known >= 0 { return known }
    let new = ofProcess(stream, group.kind, group.name, rank: group.rank)
    processes[stream].groups[group.rawValue] = new
    return new
  }

  @inline(__always)
  mutating func pool(_ stream: Int, thread: ThreadID) -> Int32 {
    let last = processes[stream].lastThread
    if last.pool >= 0, last.thread == thread { return last.pool }
    let pool =
      processes[stream].threads[thread]
      ?? ofProcess(
        stream,
        .thread(thread),
        thread == .main ? "main" : "thread \(thread.rawValue)",
        rank: 10 + processes[stream].threads.count
      )
    processes[stream].threads[thread] = pool
    processes[stream].lastThread = (thread, pool)
    return pool
  }

  mutating func pool(_ stream: Int, queue: NameID, _ names: borrowing Names) -> Int32 {
    if let known = processes[stream].queues[queue] { return known }
    let name = queue == .empty ? "async" : "queue \(names[queue])"
    let new = ofProcess(stream, .group, name, rank: 500_000 + processes[stream].queues.count)
    processes[stream].queues[queue] = new
    return new
  }

  mutating func pool(_ stream: Int, object: NameID, _ names: borrowing Names) -> Int32 {
    if let known = processes[stream].objects[object] { return known }
    let rank = 2_000_000 + processes[stream].objects.count
    guard processes[stream].objects.count < ProcessPass.objectLanesMax else {
      if processes[stream].otherObjects < 0 {
        processes[stream].otherObjects = ofProcess(stream, .group, "other data", rank: rank)
      }
      return processes[stream].otherObjects
    }
    let new = ofProcess(stream, .group, "data \(names[object])", rank: rank)
    processes[stream].objects[object] = new
    return new
  }

  private mutating func ofProcess(
    _ stream: Int,
    _ kind: Lane.Kind,
    _ name: String,
    rank: Int
  ) -> Int32 {
    pool(
      parent: processes[stream].lane,
      kind,
      name,
      StreamID(rawValue: UInt32(stream)),
      rank: rank
    )
  }
}
