// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import Support

/// Chunks of 64 KiB from `lifetrace ship` through one nats-server, and through three that keep three
/// replicas, to `lifetrace collect`, each stored and synced once, as whole programs on this machine; and
/// one chunk alone, start of the program included.
///
/// It needs nats-server and a lifetrace that was built with NATS (`LIFETRACE_NATS=1`); else it says so.
func benchmarkShip(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let directory = try BenchmarkDirectory()
  let count = size == .small ? 20 : 2_000
  try chunks(count, seed: 1, to: directory.path + "/many.lifetrace")
  for number in 0..<21 {
    try chunks(1, seed: UInt64(number) + 2, to: directory.path + "/one-\(number).lifetrace")
  }
  let outcome = TestProgram.shell(
    """
    cd '\(directory.path)'
    command -v nats-server >/dev/null || exit 69
    nats-server -a 127.0.0.1 -p -1 --ports_file_dir . -js -sd js >/dev/null 2>&1 & server=$!
    trap 'kill -9 $server $nodes $collector 2>/dev/null; rm -rf js js-* store store-3' EXIT
    until ls nats-server_$server.ports >/dev/null 2>&1; do kill -0 $server || exit 1; sleep 0.02; done
    port=$(sed 's/.*"nats":\\["nats:..[^:]*:\\([0-9]*\\)".*/\\1/' nats-server_$server.ports)
    '\(lifetrace())' collect --from nats://127.0.0.1:$port -d store >/dev/null 2>said & collector=$!
    until grep -qs collecting said; do kill -0 $collector 2>/dev/null || exit 69; sleep 0.02; done
    ship() {
      begin=$(date +%s%N)
      '\(lifetrace())' ship $1 --to nats://127.0.0.1:$port >/dev/null || exit 1
      echo $(($(date +%s%N) - begin))
    }
    ship many.lifetrace
    for number in $(seq 0 20); do ship one-$number.lifetrace; done | sort -n | sed -n 11p
    kill $collector
    # Ports that were free a moment ago: each node must know those of the others.
    ports=$(python3 -c 'import socket
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    print(*(one.getsockname()[1] for one in held))')
    routes=$(for port in $ports; do printf ', "nats://127.0.0.1:%s"' $port; done)
    for port in $ports; do
      cat >$port.conf <<END
    listen: "127.0.0.1:-1"
    server_name: node-$port
    jetstream { store_dir: "js-$port" }
    cluster { name: bench, listen: "127.0.0.1:$port", routes: [${routes#, }] }
    END
      nats-server -c $port.conf --ports_file_dir . >/dev/null 2>&1 & nodes="$nodes $!"; node=$!
    done
    until ls nats-server_$node.ports >/dev/null 2>&1; do kill -0 $node || exit 1; sleep 0.02; done
    port=$(sed 's/.*"nats":\\["nats:..[^:]*:\\([0-9]*\\)".*/\\1/' nats-server_$node.ports)
    '\(lifetrace())' collect --from nats://127.0.0.1:$port --replicas 3 -d store-3 >/dev/null 2>said-3 & collector=$!
    until grep -qs collecting said-3; do kill -0 $collector 2>/dev/null || exit 1; sleep 0.02; done
    ship many.lifetrace
    """
  )
  let times = outcome.said.split(separator: "\n").compactMap { Double($0) }
  guard outcome.code == 0, times.count == 3 else {
    guard outcome.code == 69 else { throw BenchmarkFailure(text: "shipping: \(outcome.said)") }
    return [BenchmarkRow("ship: no nats-server, or built without NATS", "not measured")]
  }
  let rate = Double(count) / (times[0] / 1e9)
  let clusterRate = Double(count) / (times[2] / 1e9)
  return [
    BenchmarkRow(
      "ship \(count) chunks of 64 KiB, stored once",
      "\(fixed(rate, 0)) chunks/s",
      peer: "with the program's start",
      target: "at least 1,500 chunks/s",
      reached: size == .small ? nil : rate >= 1_500
    ),
    BenchmarkRow(
      "one chunk, until the collector has it",
      "\(fixed(times[1] / 1e6)) ms",
      peer: "the same"
    ),
    BenchmarkRow(
      "ship \(count) chunks of 64 KiB, three replicas",
      "\(fixed(clusterRate, 0)) chunks/s",
      peer: "three servers on this machine"
    ),
  ]
}

/// A recording of so many chunks, each of 64 KiB that no compression makes smaller.
private func chunks(_ count: Int, seed: UInt64, to path: String) throws {
  let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
  var random = seed
  let events = 8_000
  for number in 0..<count {
    var encoder = ChunkEncoder()
    for index in 0..<events {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let sequence = UInt64(number * events + index)
      encoder.append(
        Event(
          .workBegin,
          at: HostTime(rawValue: Int64(sequence) * 1_000),
          identity: random ^ random >> 29,
          sequence: sequence
        )
      )
    }
    try writer.append(
      encoder.finish(
        header: ChunkHeader(
          writer: WriterID(high: seed, low: 2),
          attributes: WriterAttributes(app: "bench"),
          firstSequence: UInt64(number * events)
        ),
        keyframe: [],
        names: Names()
      )
    )
  }
  try writer.finish(end: true)
}
