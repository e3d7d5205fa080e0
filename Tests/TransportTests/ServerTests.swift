// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransportNATS
import Support
import TestThreads
import Testing

/// Against a real server, which each test starts on a port of its own and ends.
///
/// They fail where there is none: `Scripts/setup.sh --with-nats` installs it, and a build with
/// LIFETRACE_NATS set can talk to it.
@Suite(.waits, .serialized) struct ServerTests {
  private func run(_ lines: String, in folder: TestFolder) -> TestProgram.Outcome {
    ServerShell.run(lines, in: folder)
  }

  private static let vectors = ServerShell.vectors

  @Test func aRecordingArrivesAndComesOutAsItWas() throws {
    #expect(NATSLink.isBuilt, "built without NATS: LIFETRACE_NATS=1 swift build --build-tests")
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d store
      lifetrace record -o own.lifetrace --to nats://127.0.0.1:$port -- $emitter threads 3 1000 2 || exit 1
      lifetrace ship own.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 2
      lifetrace ship \(Self.vectors)/cat.lifetrace' --to nats://127.0.0.1:$port --timeout 60s || exit 3
      kill $collector; wait $collector || exit 4
      lifetrace sessions store | tee sessions
      for session in $(cut -d ' ' -f 1 sessions); do
        lifetrace extract $session -d store -o $session.part || exit 5
      done
      lifetrace merge *.part -o whole || exit 6
      # In the same order: what lies on other clocks is shown behind what came first.
      lifetrace merge \(Self.vectors)/cat.lifetrace' own.lifetrace -o expected || exit 7
      lifetrace dump whole >a; lifetrace dump expected >b
      cmp a b || exit 8
      [ $(wc -l <a) -gt 3000 ] || exit 9
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// Of a cluster's servers one is enough, wherever it stands in the list.
  @Test func oneOfSeveralServersIsEnough() throws {
    let result = run(
      """
      server -js -sd js
      list=nats://127.0.0.1:1,nats://[::1]:1,nats://127.0.0.1:$port,nats://localhost:1
      collect --from $list -d store
      for try in 1 2 3 4; do
        lifetrace record -o $try.lifetrace --to $list -- $emitter threads 1 10 2 2>said || exit 1
        ! grep away said || exit 2
        lifetrace ship $try.lifetrace --to $list --timeout 60s || exit 3
      done
      kill $collector; wait $collector || exit 4
      [ $(lifetrace sessions store | wc -l) = 4 ] || exit 5
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// The example of the page, with certificates made for it.
  @Test func theExampleGivesEachDeviceItsOwn() throws {
    let folder = try TestFolder()
    let result = run(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \\
        -keyout ca.key -out ca.pem 2>/dev/null || exit 90
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \\
        -keyout server.key -out server.csr 2>/dev/null || exit 91
      printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' >san
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san \\
        -out server.pem 2>/dev/null || exit 92
      export COLLECTOR_PASSWORD=one PHONE_PASSWORD=two WATCH_PASSWORD=three
      server -c '\(Golden.root)/Sources/Transport/nats-server.conf'
      for name in one two wrong; do echo $name >$name; chmod 600 $name; done
      url=tls://localhost:$port
      # One that is full before it begins answers questions, and takes no chunk.
      mkdir full; cp \(Self.vectors)/one-event.lifetrace' full/2026-01-01T00.lifetrace
      collect --from $url -d full --max-size 1 --tenant acme --ca ca.pem --user collector \\
        --password-file one
      lifetrace ship \(Self.vectors)/cat.lifetrace' --to $url --tenant acme --ca ca.pem --user phone \\
        --password-file two --timeout 1s; [ $? = 75 ] || exit 6
      python3 '\(Golden.root)/Tests/Fixtures/devices.py' $port || exit 7
      kill $collector; wait $collector || exit 8
      rm collect.log
      collect --from $url -d store --tenant acme --ca ca.pem --user collector --password-file one
      ship() { lifetrace ship \(Self.vectors)/cat.lifetrace' --to $url --ca ca.pem --timeout 20s "$@"; }
      ship --tenant acme --user phone --password-file two || exit 1
      ship --tenant acme --user phone --password-file wrong; [ $? = 69 ] || exit 2
      ship --tenant other --user phone --password-file two; [ $? = 69 ] || exit 3
      lifetrace ship \(Self.vectors)/cat.lifetrace' --to $url --tenant acme --user phone \\
        --password-file two --timeout 20s; [ $? = 69 ] || exit 4
      ship --tenant acme --user phone --password-file two --inbox _INBOX; [ $? = 69 ] || exit 9
      chmod 644 two
      ship --tenant acme --user phone --password-file two; [ $? = 69 ] || exit 5
      """,
      in: folder
    )
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains("chmod 600 two"), "\(result.said)")
  }

  /// The file is freed while the app runs, and gone at the end; all of it is at the collector.
  @Test func theSpoolIsFreedAsItGoes() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d store
      # The command goes on until what has arrived is freed, however late that is.
      cat > app <<'END'
      $emitter progress book 3 40000 3000 || exit 1
      until [ "$(cat store/*.lifetrace 2>/dev/null | wc -c)" -gt 30000 ]; do sleep 0.02; done
      until [ "$(stat -c %s own.lifetrace)" -lt 30000 ]; do sleep 0.02; done
      END
      export emitter
      lifetrace record -o own.lifetrace --to nats://127.0.0.1:$port --remove-shipped --ship-wait 60s -- \
        sh app || exit 1
      [ ! -e own.lifetrace ] || exit 2
      kill $collector; wait $collector || exit 3
      lifetrace sessions store | tee sessions
      grep -q ' whole$' sessions || exit 4
      lifetrace extract $(cut -d ' ' -f 1 sessions) -d store -o whole || exit 5
      [ $(lifetrace dump whole | grep -c ' data.dirty ') = 120000 ] || exit 6
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains(" at the collector alone, "), "\(result.said)")
  }

  /// What the apps still hold belongs into that file, whatever of it has arrived.
  @Test func aKilledRecorderKeepsItsFile() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d store
      '\(TestProgram.products)/lifetrace' record -o own.lifetrace --to nats://127.0.0.1:$port \\
        --remove-shipped -- $emitter progress book 3 20000 3000 &
      front=$!
      until [ -s own.lifetrace ]; do kill -0 $front || exit 1; sleep 0.02; done
      pkill -KILL -P $front -x lifetrace-rec || exit 2
      wait $front
      [ -s own.lifetrace ] || exit 3
      lifetrace record --recover || exit 4
      lifetrace ship own.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 5
      kill $collector; wait $collector || exit 6
      # A file is of one hour, and an hour may end meanwhile.
      cat store/*.lifetrace > arrived.lifetrace
      [ $(lifetrace dump arrived.lifetrace | grep -c ' data.dirty ') = 60000 ] || exit 7
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// What was sent stays what it was where another recorder goes on: nothing of it is there twice.
  @Test func aRecoveredRecordingHasTheChunksThatWereSent() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d store
      '\(TestProgram.products)/lifetrace' record -o own.lifetrace --to nats://127.0.0.1:$port \\
        -- $emitter progress book 1 960 900000 &
      front=$!
      # A chunk a second: enough to be made a large one of.
      chunks() {
        lifetrace info --json "$1" 2>/dev/null |
          python3 -c 'import json, sys; print(json.loads(sys.stdin.read() or "{}").get("chunks", 0))'
      }
      until [ $(chunks own.lifetrace) -ge 5 ]; do kill -0 $front || exit 1; sleep 0.1; done
      pkill -KILL -P $front -x lifetrace-rec || exit 2
      wait $front
      before=$(chunks own.lifetrace)
      lifetrace record --recover || exit 3
      [ $(chunks own.lifetrace) -gt $before ] || exit 4
      lifetrace ship own.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 5
      kill $collector; wait $collector || exit 6
      cat store/*.lifetrace > arrived.lifetrace
      lifetrace info --json arrived.lifetrace | grep -q '"duplicates":0' || exit 7
      [ $(chunks arrived.lifetrace) = $(chunks own.lifetrace) ] || exit 8
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// One chunk that is more than the server takes is left out and said; the others arrive.
  @Test func aChunkThatIsTooLargeHoldsNothingUp() throws {
    let folder = try TestFolder()
    let writer = try TraceWriter(
      path: folder.file("own.lifetrace"),
      options: .init(.create, compacts: false)
    )
    var random = SeededRandom(seed: SeededRandom.seed)
    var sequence: UInt64 = 0
    for count in [10, 12_000, 10, 10] {
      var encoder = ChunkEncoder()
      let first = sequence
      for _ in 0..<count {
        encoder.append(
          Event(
            .workBegin,
            at: HostTime(rawValue: Int64(sequence)),
            identity: random.next(),
            sequence: sequence
          )
        )
        sequence += 1
      }
      let header = ChunkHeader(
        writer: WriterID(high: 1, low: 2),
        attributes: WriterAttributes(app: "large"),
        firstSequence: first
      )
      try writer.append(encoder.finish(header: header, keyframe: [], names: Names()))
    }
    try writer.finish(end: true)
    let result = run(
      """
      printf 'max_payload: 64KB\\njetstream { store_dir: js }\\n' >conf
      server -c conf
      collect --from nats://127.0.0.1:$port -d store
      lifetrace ship own.lifetrace --to nats://127.0.0.1:$port --timeout 60s; [ $? = 69 ] || exit 1
      lifetrace sessions store --json | grep '"events":30,"missing":12000,"chunks":3' || exit 2
      kill $server; wait $server
      printf 'max_payload: 1MB\\njetstream { store_dir: js }\\n' >conf
      server -c conf
      kill $collector; wait $collector
      rm collect.log
      collect --from nats://127.0.0.1:$port -d store
      lifetrace ship own.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 3
      lifetrace sessions store --json | grep '"events":12030,"missing":0,"chunks":4' || exit 4
      """,
      in: folder
    )
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains("is more than the server takes (65,536 bytes)"), "\(result.said)")
    #expect(result.said.contains("arrived: 3 of 4 chunks; 1 not sent"), "\(result.said)")
  }

  /// Partitions of a tenant in two streams: each session lies whole in one folder.
  @Test func partitionsKeepSessionsTogether() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d low --partitions 0-7
      low=$collector
      rm collect.log
      collect --from nats://127.0.0.1:$port -d high --partitions 8-15
      trap 'kill -9 $server $collector $low 2>/dev/null' EXIT
      for number in 1 2 3 4 5 6 7 8; do
        lifetrace record -o $number.lifetrace -- $emitter numbers 100 2>/dev/null || exit 1
      done
      lifetrace ship ?.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 2
      kill $collector; wait $collector || exit 3
      # A stream of other partitions is none that this one may take.
      lifetrace collect --from nats://127.0.0.1:$port -d other --stream LIFETRACE-default-0-7 \\
        --partitions 8-15; [ $? = 69 ] || exit 4
      kill $low; wait $low || exit 5
      for folder in low high; do
        [ -e "$(echo $folder/*.lifetrace)" ] && lifetrace sessions $folder --json >>sessions
      done
      [ $(wc -l <sessions) = 8 ] || exit 6
      [ $(grep -c '"missing":0.*"whole":true' sessions) = 8 ] || exit 7
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains("and not the partitions 8-15 of default alone"), "\(result.said)")
  }

  /// One of two collectors stands still with chunks in its hands: after 5 s the other one gets them.
  @Test func aSecondCollectorTakesOver() throws {
    let result = run(
      """
      cc -shared -fPIC -O1 '\(Golden.root)/Scripts/faults/point.c' -o point.so -ldl || exit 95
      server -js -sd js
      # It stops itself with its first batch on the disk, before it says so to anybody.
      export LD_PRELOAD="$PWD/point.so" LT_POINT='lifetrace sync 1 after .lifetrace' LT_POINT_SIGNAL=STOP
      collect --from nats://127.0.0.1:$port -d first
      unset LD_PRELOAD LT_POINT LT_POINT_SIGNAL
      first=$collector
      trap 'kill -9 $server $collector $first 2>/dev/null' EXIT
      rm collect.log
      for number in 1 2 3 4; do
        lifetrace record -o $number.lifetrace -- $emitter threads 3 1000 2 2>/dev/null || exit 1
      done
      # Longer than this it is sent again only where the server gives it to another collector.
      lifetrace ship ?.lifetrace --to nats://127.0.0.1:$port --resend-after 600s --timeout 60s &
      ship=$!
      until grep -q '^State:.T' /proc/$first/status; do kill -0 $ship || exit 2; sleep 0.02; done
      held=$(lifetrace sessions first --json | sed 's/.*"chunks":\\([0-9]*\\).*/\\1/' | head -1)
      [ "$held" -gt 0 ] || exit 8
      collect --from nats://127.0.0.1:$port -d second
      wait $ship || exit 9
      kill $collector; wait $collector || exit 3
      # The second one alone has all of it: it was given what the first one holds.
      for number in 1 2 3 4; do
        session=$(lifetrace info --json $number.lifetrace | sed 's/.*"session":"\\([0-9a-f]*\\)".*/\\1/')
        lifetrace extract $session -d second -o $number.second || exit 10
        lifetrace dump $number.second >a; lifetrace dump $number.lifetrace >b
        cmp a b || exit 11
      done
      # What the first one held goes on: its acknowledgement is too late, and hurts nobody.
      kill -CONT $first; kill $first; wait $first || exit 4
      mkdir all
      for store in first second; do cat $store/*.lifetrace > all/$store.lifetrace || exit 5; done
      for number in 1 2 3 4; do
        session=$(lifetrace info --json $number.lifetrace | sed 's/.*"session":"\\([0-9a-f]*\\)".*/\\1/')
        lifetrace extract $session -d all -o $number.part || exit 6
        lifetrace dump $number.part >a; lifetrace dump $number.lifetrace >b
        cmp a b || exit 7
      done
      [ $(wc -l <a) -gt 3000 ] || exit 12
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// What is over a session's quota is refused and counted; who sends is told, and others are not in it.
  @Test func aSessionHasItsQuota() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d store --max-session 4KiB
      lifetrace record -o large.lifetrace -- $emitter threads 3 20000 2 2>/dev/null || exit 1
      lifetrace ship large.lifetrace --to nats://127.0.0.1:$port --timeout 5s --resend-after 1s
      [ $? = 75 ] || exit 2
      lifetrace ship \(Self.vectors)/cat.lifetrace' --to nats://127.0.0.1:$port --timeout 60s || exit 3
      kill $collector; wait $collector || exit 4
      cat collect.log
      # What it knows of its files counts, too, and more room lets the rest in.
      collect --from nats://127.0.0.1:$port -d store --max-session 1GiB
      lifetrace ship large.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 5
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
    #expect(result.said.contains("the collector takes no more of this session"), "\(result.said)")
    #expect(result.said.contains(" over the quota of their session"), "\(result.said)")
  }

  /// The other half of what the trait decides compiles, and says what is missing.
  @Test func aProgramWithoutNATSSaysSo() throws {
    let result = run(
      """
      '\(Golden.root)/Scripts/without-nats.sh' without '\(TestProgram.products)' || exit 1
      export LD_LIBRARY_PATH='\(TestProgram.products)'
      cp \(Self.vectors)/cat.lifetrace' . || exit 2
      for words in "ship cat.lifetrace --to nats://127.0.0.1:1" "collect -d store --from nats://127.0.0.1:1" \
        "record -o own.lifetrace --to nats://127.0.0.1:1 -- true"; do
        without/lifetrace $words 2>said; [ $? = 69 ] || { cat said; exit 3; }
        grep -q 'built without NATS' said && grep -q -- '--traits NATS' said || { cat said; exit 4; }
      done
      without/lifetrace info --json cat.lifetrace || exit 5
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  @Test func wrongUseIsSaid() throws {
    let file = "\(Self.vectors)/cat.lifetrace'"
    for (line, code, said) in [
      ("ship \(file) --to nats://example.org:4222", 69, "encrypted only"),
      ("ship \(file) --to example.org", 69, "it is nats://HOST:PORT"),
      ("ship \(file) --to nats://127.0.0.1:1,nats://example.org:4222", 69, "encrypted only"),
      ("ship \(file) --to nats://127.0.0.1:1,", 69, "several with commas between"),
      ("ship \(file) --to nats://127.0.0.1:1 --timeout 200ms", 75, "arrived: 0 of 4 chunks"),
      ("ship \(file) --to nats://127.0.0.1:1 --timeout 5", 64, "a time with its unit"),
      ("ship \(file) --to nats://127.0.0.1:1 --tenant a.b", 64, "letters, digits"),
      ("ship nothing --to nats://127.0.0.1:1", 74, "nothing"),
      ("record --last 5s --to nats://127.0.0.1:1 -- true", 64, "only at the end"),
      ("record --remove-shipped -- true", 64, "go with --to"),
      ("record --remove-shipped --to nats://[::1]:1 --check -- true", 64, "what --check judges"),
      ("collect --from nats://127.0.0.1:1 -d x --max-session 0", 64, "--max-session"),
      ("collect --from nats://127.0.0.1:1 -d x --partitions 8-16", 64, "one of 0 to 15"),
      ("collect --from nats://127.0.0.1:1 -d x --partitions 3-2", 64, "one of 0 to 15"),
      ("collect --from nats://127.0.0.1:1 -d x --replicas 0", 64, "1 to 5 servers"),
      ("ship \(file) --to nats://127.0.0.1:1 --inbox a.*", 64, "a prefix is words"),
      ("collect --from nats://127.0.0.1:1 -d /dev/null", 74, "/dev/null"),
      ("sessions .", 74, "no recording is there"),
      ("ship \(file) --to nats://127.0.0.1:1 --cert x", 69, "--cert and --key go together"),
    ] {
      let result = run("lifetrace \(line)", in: try TestFolder())
      #expect(result.code == code, "\(line): \(result.said)")
      #expect(result.said.contains(said), "\(line): \(result.said)")
      #expect(result.said.hasPrefix("lifetrace: "), "\(line): \(result.said)")
    }
  }
}
