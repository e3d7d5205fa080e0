// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceOTLP
import LifetraceOTLPReceiver
import LifetracePlatform
import LifetraceRecorder
import LifetraceTrace

/// What programs with SDKs of OpenTelemetry send while others are recorded.
struct ReceptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Take spans and log records of OpenTelemetry as well, over HTTP (POST /v1/traces and /v1/logs, \
      protobuf or JSON): 127.0.0.1:4318 as is usual, or port 0 for a free one. The command finds it by \
      OTEL_EXPORTER_OTLP_ENDPOINT, unless that is set. What comes is a recording of its own beside this \
      one, FILE.otlp.lifetrace, with the processes that it names, as lifetrace import otlp makes it: \
      lifetrace merge joins both, and --check judges both. --to does not send it, and --max-size and \
      --last are not about it: 256 MiB are taken. After a kill of the recorder it is in FILE.otlp.pb and \
      FILE.otlp.jsonl, for lifetrace import otlp. An address that other machines reach needs --insecure.
      """,
      valueName: "address"
    ),
    transform: { text in
      do throws(ListenAddress.Problem) {
        return try ListenAddress(typed: text)
      } catch {
        throw ValidationError(error.description)
      }
    }
  )
  var otlp: ListenAddress?

  /// Begins to listen, before this process has threads and before the command starts; nil without --otlp.
  ///
  /// Leaves where that cannot be, and nothing is made then.
  func start(_ plan: RecordPlan, isInsecure: Bool) throws -> LiveReception? {
    guard let otlp else { return nil }
    guard otlp.isLoopback || isInsecure else {
      throw ValidationError(
        "--otlp \(otlp.url.dropFirst(7)): other machines reach this address, and nothing is encrypted: "
          + "listen at 127.0.0.1, or say --insecure."
      )
    }
    let reception = LiveReception(plan)
    if let there = reception.inTheWay {
      Failure.say(there)
      throw ExitCode(125)
    }
    do {
      try reception.start(at: otlp)
    } catch let problem as ListenAddress.Problem {
      Failure.say("\(problem)\n  A free port: --otlp 127.0.0.1:0")
      throw ExitCode(125)
    } catch let problem as OTLPError {
      Failure.say(Printable.text("\(problem)"))
      throw ExitCode(125)
    }
    return reception
  }
}
