// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceInterop
import LifetraceOTLP
import LifetraceTrace
import LifetraceTraceFile

struct ImportOTLPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otlp",
    abstract: "Reads spans and logs of OpenTelemetry, as SDKs and collectors send them.",
    discussion: """
      Protobuf and JSON, one batch a file or JSON a line, compressed by gzip or not, spans and logs in any \
      mixture. A process is a service.instance.id, else a host, a pid and a name. A span is work; a CLIENT span \
      is a message to the SERVER span whose parent it is, and its answer, so that the clocks of their hosts bound \
      each other: path shows a request over all of them, clocks how they compare. Log records of \
      device.app.lifecycle are states. Merge it with recordings of processes that got the traceparent: \
      their messages are tied by it.
      """
  )

  @Argument(help: "The batches; - reads one from standard input.", completion: .file())
  var files: [String]

  @OptionGroup var output: NewTrace

  func run() throws {
    var made = OTLPStory()
    for file in files {
      do throws(OTLPError) {
        made.add(try OTLPBatch(path: file))
      } catch {
        Failure.say("\(Printable.line(file)): \(Printable.line(error.description))")
        throw error.isUnreadable ? TraceOpening.io : TraceOpening.damaged
      }
    }
    let story = made.story
    guard story.writers.contains(where: { !$0.events.isEmpty }) else {
      Failure.say(
        "\(Printable.line(files[0])): holds no spans and no logs of OpenTelemetry\n"
          + "  It takes what is sent to /v1/traces and /v1/logs, as protobuf or JSON"
      )
      throw TraceOpening.damaged
    }
    try output.make(keeping: files) { path throws(TraceFileError) in
      try story.write(to: TraceWriter(path: path, options: .create))
    }
    Failure.say("\(Printable.line(output.path)): \(made.summary(of: story))")
  }
}

extension OTLPStory {
  /// What became a recording, and what was left out.
  func summary(of story: Story) -> String {
    let events = story.writers.reduce(0) { $0 + $1.events.count }
    var summary = [
      Quantity.count(records, "record"), Quantity.count(story.writers.count, "process"),
      Quantity.count(events, "event"),
    ].joined(separator: ", ")
    if recordsLeftOut > 0 {
      summary += "; \(Quantity.count(recordsLeftOut, "record")) more were too many"
    }
    if spansRefused > 0 {
      summary += "; \(Quantity.count(spansRefused, "span")) without an id left out"
    }
    if attributesLeftOut > 0 {
      let count = Quantity.count(attributesLeftOut, "attribute")
      summary += "; \(count) above \(OTLPLimits.attributesMax) of a record left out"
    }
    return summary
  }
}
