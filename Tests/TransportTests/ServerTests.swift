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
  /// Runs lines of shell in a folder; `server` starts one, `port` is its port, and `lifetrace` is the
  /// built one.
  private func run(_ lines: String, in folder: TestFolder) -> TestProgram.Outcome {
    TestProgram.shell(
      """
      exec 2>&1
      cd '\(folder.path)' || exit 99
      export XDG_RUNTIME_DIR='\(folder.path)' TMPDIR='\(folder.path)'
      command -v nats-server >/dev/null || { echo 'no nats-server'; exit 98; }
      lifetrace() { '\(TestProgram.products)/lifetrace' "$@"; }
      emitter='\(TestProgram.products)/Emitter'
      until_line() { until grep -q "$1" "$2" 2>/dev/null; do kill -0 "$3" || exit 97; sleep 0.02; done; }
      server() {
        nats-server -a 127.0.0.1 -p -1 --ports_file_dir . "$@" >server.log 2>&1 &
        server=$!
        until ls nats-server_$server.ports >/dev/null 2>&1; do kill -0 $server || exit 96; sleep 0.02; done
        port=$(sed 's/.*"nats":\\["[a-z]*:..[^:]*:\\([0-9]*\\)".*/\\1/' nats-server_$server.ports | head -1)
      }
      trap 'kill -9 $server $collector 2>/dev/null' EXIT
      collect() {
        '\(TestProgram.products)/lifetrace' collect "$@" >collect.log 2>&1 &
        collector=$!
        until_line collecting collect.log $collector
      }
      \(lines)
      """
    )
  }

  private static let vectors = "'\(Golden.root)/Traces/vectors"

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

  /// Kills, stops, outages, partitions and damage by seed; 50 of them with LIFETRACE_TEST_SCALE.
  @Test func whateverHappensNothingIsLost() {
    let trials = environment("LIFETRACE_TEST_SCALE") == nil ? 5 : 50
    let result = TestProgram.shell(
      """
      export LT='\(TestProgram.products)/lifetrace' EMITTER='\(TestProgram.products)/Emitter'
      python3 '\(Golden.root)/Scripts/faults/faults.py' --trials \(trials) --seed \(SeededRandom.seed) 2>&1
      """
    )
    #expect(result.code == 0, "\(result.said)")
  }
}
