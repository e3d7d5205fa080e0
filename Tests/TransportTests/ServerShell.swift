// SPDX-License-Identifier: Apache-2.0
import Support

/// Shell in a folder of a test's own, with a real server, a collector and the built command.
enum ServerShell {
  /// The beginning of a quoted path to a recording.
  static let vectors = "'\(Golden.root)/Traces/vectors"

  /// Runs lines of shell in a folder; `server` starts one, `port` is its port, and `lifetrace` is the
  /// built one.
  static func run(_ lines: String, in folder: TestFolder) -> TestProgram.Outcome {
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
}
