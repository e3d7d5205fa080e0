// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
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
      collect --from $url -d store --tenant acme --ca ca.pem --user collector --password-file one
      ship() { lifetrace ship \(Self.vectors)/cat.lifetrace' --to $url --ca ca.pem --timeout 20s "$@"; }
      ship --tenant acme --user phone --password-file two || exit 1
      ship --tenant acme --user phone --password-file wrong; [ $? = 69 ] || exit 2
      ship --tenant other --user phone --password-file two; [ $? = 69 ] || exit 3
      lifetrace ship \(Self.vectors)/cat.lifetrace' --to $url --tenant acme --user phone \\
        --password-file two --timeout 20s; [ $? = 69 ] || exit 4
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
      lifetrace record -o own.lifetrace --to nats://127.0.0.1:$port --remove-shipped --ship-wait 60s -- \
        $emitter progress book 3 40000 3000 || exit 1
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
      [ $(lifetrace dump store/*.lifetrace | grep -c ' data.dirty ') = 60000 ] || exit 7
      """,
      in: try TestFolder()
    )
    #expect(result.code == 0, "\(result.said)")
  }

  /// One of two collectors stands still with chunks in its hands: after 5 s the other one gets them.
  @Test func aSecondCollectorTakesOver() throws {
    let result = run(
      """
      server -js -sd js
      collect --from nats://127.0.0.1:$port -d first
      first=$collector
      rm collect.log
      kill -STOP $first
      collect --from nats://127.0.0.1:$port -d second
      for number in 1 2 3 4; do
        lifetrace record -o $number.lifetrace -- $emitter threads 3 1000 2 2>/dev/null || exit 1
      done
      lifetrace ship ?.lifetrace --to nats://127.0.0.1:$port --timeout 60s || exit 2
      kill $collector; wait $collector || exit 3
      # What the first one held goes on: it writes what the other has as well, or finds it gone.
      kill -CONT $first; kill $first; wait $first || exit 4
      mkdir all
      for store in first second; do
        cp $store/*.lifetrace all/$store.lifetrace 2>/dev/null
      done
      [ -s all/second.lifetrace ] || exit 5
      for number in 1 2 3 4; do
        session=$(lifetrace info --json $number.lifetrace | sed 's/.*"session":"\\([0-9a-f]*\\)".*/\\1/')
        lifetrace extract $session -d all -o $number.part || exit 6
        lifetrace dump $number.part >a; lifetrace dump $number.lifetrace >b
        cmp a b || exit 7
      done
      [ $(wc -l <a) -gt 3000 ] || exit 8
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

  @Test func wrongUseIsSaid() throws {
    let file = "\(Self.vectors)/cat.lifetrace'"
    for (line, code, said) in [
      ("ship \(file) --to nats://example.org:4222", 69, "encrypted only"),
      ("ship \(file) --to example.org", 69, "it is nats://HOST:PORT"),
      ("ship \(file) --to nats://127.0.0.1:1 --timeout 200ms", 75, "arrived: 0 of 4 chunks"),
      ("ship \(file) --to nats://127.0.0.1:1 --timeout 5", 64, "a time with its unit"),
      ("ship \(file) --to nats://127.0.0.1:1 --tenant a.b", 64, "letters, digits"),
      ("ship nothing --to nats://127.0.0.1:1", 74, "nothing"),
      ("record --last 5s --to nats://127.0.0.1:1 -- true", 64, "only at the end"),
      ("record --remove-shipped -- true", 64, "go with --to"),
      ("record --remove-shipped --to nats://[::1]:1 --check -- true", 64, "what --check judges"),
      ("collect --from nats://127.0.0.1:1 -d x --max-session 0", 64, "--max-session"),
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

  /// Kills at random and at named points, stops, outages, partitions and damage by seed; 50 of them with LIFETRACE_TEST_SCALE.
  @Test func whateverHappensNothingIsLost() {
    let trials = environment("LIFETRACE_TEST_SCALE") == nil ? 5 : 50
    let result = TestProgram.shell(
      """
      folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
      export POINT="$folder/point.so"
      cc -shared -fPIC -O1 '\(Golden.root)/Scripts/faults/point.c' -o "$POINT" -ldl || exit 95
      export LT='\(TestProgram.products)/lifetrace' EMITTER='\(TestProgram.products)/Emitter'
      python3 '\(Golden.root)/Scripts/faults/faults.py' --trials \(trials) --seed \(SeededRandom.seed) 2>&1
      """
    )
    #expect(result.code == 0, "\(result.said)")
  }
}
