// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

extension RecordingFacts {
  /// What `info` prints of one of many: the file, how long it is, which apps on which hosts, what is gone.
  package var summary: [String] {
    let apps = writers.filter { $0.stream.attributes.role.isJudged }.map(\.label)
    let others = writers.count - apps.count + hidden
    let shown = apps.prefix(Self.appsMax)
    let left = apps.count - shown.count
    let processes =
      shown + (left > 0 ? [Quantity.count(left, "more app")] : [])
      + (others > 0 ? [Quantity.count(others, "other process")] : [])
    let hosts = Set(writers.map { Printable.line($0.stream.attributes.host) })
    let named = hosts.filter { !$0.isEmpty }.sorted().joined(separator: " and ")
    let place = named.isEmpty ? "" : " on \(named)"
    var lines = [spanLine, processes.joined(separator: ", ") + place].compactMap { $0 }
    if !file.census.lost.isNone { lines.append(lossLine) }
    if !hasEnd { lines.append(endLine) }
    lines += file.problems.filter(\.isDamage).map { "damage: \($0.text)" }
    return [counts] + lines.map { "  \($0)" }
  }

  /// Apps that are named; of more the count is given.
  private static let appsMax = 8
}

/// The machines of several recordings, and what each of them has part in.
///
///     var hosts = HostSummary()
///     hosts.add(facts)
///     print(hosts.text.joined(separator: "\n"))
package struct HostSummary {
  private struct Host {
    var files: Set<Int> = []
    var machines: Set<WideID> = []
    var boots: Set<String> = []
    var processes = 0
    var events: UInt64 = 0
  }

  private var hosts: [String: Host] = [:]
  private var files = 0
  private var events: UInt64 = 0

  /// None yet.
  package init() {}

  /// Takes in the writers of one more file.
  package mutating func add(_ facts: RecordingFacts) {
    files += 1
    events += UInt64(facts.file.census.events)
    for writer in facts.writers {
      let attributes = writer.stream.attributes
      var host = hosts[attributes.host] ?? Host()
      host.files.insert(files)
      if let machine = attributes.origin.machine { host.machines.insert(machine) }
      if !attributes.boot.isEmpty { host.boots.insert(attributes.boot) }
      if attributes.pid != 0 { host.processes += 1 }
      host.events += UInt64(writer.census.events)
      hosts[attributes.host] = host
    }
  }

  /// How much it is in all, and a line for each host.
  package var text: [String] {
    let all = "\(Quantity.count(files, "file")), \(Quantity.count(Int(events), "event"))"
    let lines = hosts.sorted { $0.key < $1.key }.map { name, host in
      [
        name.isEmpty ? "a host without a name" : Printable.line(name),
        host.machines.count > 1 ? Quantity.count(host.machines.count, "machine") : nil,
        host.boots.count > 1 ? Quantity.count(host.boots.count, "boot") : nil,
        Quantity.count(host.processes, "process"),
        Quantity.count(Int(host.events), "event"),
        "in \(Quantity.count(host.files.count, "file"))",
      ]
      .compactMap { $0 }.joined(separator: ", ")
    }
    return ["\(all), \(Quantity.count(hosts.count, "host")):"] + lines.map { "  \($0)" }
  }
}
