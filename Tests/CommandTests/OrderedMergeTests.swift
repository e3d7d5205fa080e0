// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTraceFile
import Support
import Testing

/// `merge --ordered`: one result, whatever the order in which recordings are merged.
@Suite(.waits) struct OrderedMergeTests {
  /// Three machines that send each other messages, each recorded by itself.
  private func record(_ folder: TestFolder) throws {
    let hosts = ["phone", "server", "watch"]
    for (number, host) in hosts.enumerated() {
      var lines = [
        "app \(host)#1 host=\(host) boot=\(host)-1 clock=monotonic epoch=\(1_000 * (number + 1))s"
      ]
      let other = hosts[(number + 1) % 3]
      let before = hosts[(number + 2) % 3]
      for turn in 0..<200 {
        let at = 0.1 * Double(turn) + 0.01 * Double(number)
        let sent = 3 * turn + number + 1
        let came = 3 * turn + (number + 2) % 3 + 1
        let flow = String(sent, radix: 16)
        lines.append("+\(at)s \(host)#1 main message.send flow=0x\(flow) peer=\(other)")
        if turn % 5 != 0 {
          let flow = String(came, radix: 16)
          lines.append(
            "+\(at + 0.05)s \(host)#1 main message.receive flow=0x\(flow) peer=\(before)"
          )
        }
      }
      _ = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "\(host).story")
    }
  }

  @Test func theOrderOfTheFilesDoesNotMatter() throws {
    let folder = try TestFolder()
    try record(folder)
    let done = shell(
      """
      set -e
      for host in phone server watch; do lifetrace import story -o $host.lt $host.story >/dev/null; done
      merge() { lifetrace merge --ordered -f -o "$@" >/dev/null; }
      merge all.lt phone.lt server.lt watch.lt
      merge other.lt watch.lt phone.lt server.lt
      cmp all.lt other.lt
      merge two.lt server.lt watch.lt
      merge right.lt phone.lt two.lt
      cmp all.lt right.lt
      merge two.lt phone.lt server.lt
      merge left.lt two.lt watch.lt
      cmp all.lt left.lt
      merge again.lt all.lt all.lt phone.lt
      cmp all.lt again.lt
      lifetrace verify all.lt
      lifetrace merge -o one.lt phone.lt server.lt watch.lt >/dev/null
      lifetrace merge -o two.lt -f watch.lt phone.lt server.lt >/dev/null
      for name in all one two; do lifetrace dump --json $name.lt >$name.json; done
      cmp one.json two.json
      cmp one.json all.json
      lifetrace merge -o right.lt -f server.lt watch.lt >/dev/null
      lifetrace merge -o three.lt phone.lt right.lt >/dev/null
      lifetrace merge -o left.lt -f phone.lt server.lt >/dev/null
      lifetrace merge -o four.lt left.lt watch.lt >/dev/null
      lifetrace merge -o five.lt four.lt three.lt phone.lt >/dev/null
      for name in three four five; do lifetrace dump --json $name.lt | cmp - one.json; done
      """,
      in: folder
    )
    #expect(done.status == 0, "\(done.output)")
    let reader = try TraceReader(path: folder.file("other.lt"))
    let timeline = Timeline(FileSource(reader))
    let chunks = reader.streams.flatMap { stream in stream.chunks.map { (stream.writer, $0) } }
      .sorted { $0.1.offset < $1.1.offset }
    let order = timeline.chunkOrder()
    let times = chunks.map { order($0, $1.firstSequence) }
    #expect(chunks.count == 3)
    #expect(times == times.sorted())
  }

  /// What could as well have been the other way round is marked.
  @Test func concurrentNeighboursAreMarked() throws {
    let folder = try TestFolder()
    let story = try #require(Golden.text("Traces/tour/machines-recording.txt"))
    _ = try folder.write(Array(story.utf8), to: "story.txt")
    let done = shell(
      "lifetrace import story -o it.lt story.txt >/dev/null 2>&1 && lifetrace dump it.lt",
      in: folder
    )
    #expect(done.status == 0, "\(done.output)")
    #expect(done.output.contains("  # ||\n"))
    #expect(Golden.difference(done.output, "Traces/clocks/dump.txt") == nil)
  }

  /// Clocks that nothing compares: each command that shows an order leaves with 2 where that is asked.
  @Test func clocksThatCannotBeComparedAreADoubt() throws {
    let folder = try TestFolder()
    let lines = ["phone", "server"].flatMap { host in
      [
        "app \(host)#1 host=\(host) boot=\(host)-1 clock=monotonic",
        "+0.1s \(host)#1 main log text=hello level=info",
      ]
    }
    _ = try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "story.txt")
    let done = shell(
      """
      lifetrace import story -o it.lt story.txt >/dev/null 2>&1 || exit 9
      try() { lifetrace "$@" >/dev/null 2>said; echo "$1 $?"; grep -c 'cannot be compared' said; }
      for strict in "" --strict; do
        try check it.lt $strict
        try info it.lt $strict
        try report it.lt -o it.html $strict
        try replay it.lt -e quit $strict
        try dump it.lt $strict
      done
      """,
      in: folder
    )
    let codes = done.output.split(separator: "\n").filter { $0.contains(" ") }
    #expect(codes.prefix(5).allSatisfy { $0.hasSuffix(" 0") }, "\(done.output)")
    #expect(codes.count == 10, "\(done.output)")
    #expect(codes.suffix(5).allSatisfy { $0.hasSuffix(" 2") }, "\(done.output)")
  }
}
