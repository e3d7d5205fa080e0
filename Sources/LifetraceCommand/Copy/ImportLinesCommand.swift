// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceInterop
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

struct ImportLinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jsonl",
    abstract: "Reads a recording in JSON lines, as export jsonl writes it, compressed or not."
  )

  @Argument(help: "The lines; - reads standard input.", completion: .file())
  var file: String

  @OptionGroup var output: NewTrace

  /// A file that has become longer than this by decompression is refused.
  private static let bytesMax = 16 << 30

  /// Whether a file begins as `export jsonl` begins it, uncompressed.
  static func isOwn(_ path: String) -> Bool {
    let begin = Array("{\"kind\":\"\(EventJSON.writerKind)\"".utf8)
    let descriptor = path == "-" ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: begin.count)
    return LifetracePlatform.read(descriptor, &bytes, bytes.count) == begin.count && bytes == begin
  }

  /// Makes a recording of the lines of a file, as the command does.
  static func read(_ file: String, into output: NewTrace) throws {
    var command = ImportLinesCommand()
    command.file = file
    command.output = output
    try command.run()
  }

  func run() throws {
    let lines = try read()
    let story = lines.story
    guard !story.writers.isEmpty else {
      Failure.say("\(Printable.line(file)): no line describes a writer")
      throw TraceOpening.damaged
    }
    try output.make(keeping: [file]) { path throws(TraceFileError) in
      try story.write(to: TraceWriter(path: path, options: .create))
    }
    if lines.cutTexts > 0 {
      Failure.say(
        "\(Printable.line(file)): \(Quantity.count(lines.cutTexts, "text")) of more than "
          + "\(Quantity.grouped(Chunk.stringBytesMax)) bytes: a recording holds as much of each"
      )
    }
    let events = story.writers.reduce(0) { $0 + $1.events.count }
    Failure.say(
      "\(Printable.line(file)): \(Quantity.count(story.writers.count, "writer")), \(Quantity.count(events, "event"))"
    )
  }

  private func read() throws -> StoryLines {
    let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refuse(errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let input = CompressedInput()
    var lines = StoryLines()
    var rest: [UInt8] = []
    var total = 0
    var room = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = room.withUnsafeMutableBytes {
        LifetracePlatform.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw refuse(errno) }
      guard count > 0 else { break }
      let isSound = try room.withUnsafeBytes { room in
        try input.add(UnsafeRawBufferPointer(rebasing: room[..<count])) { bytes in
          total += bytes.count
          guard total <= Self.bytesMax else { throw damaged("longer than \(Self.bytesMax) bytes") }
          try take(bytes, &rest, &lines)
        }
      }
      guard isSound else { throw damaged("the compressed bytes are damaged") }
    }
    if input.isCut { throw damaged("the compressed bytes end too early") }
    try take(rest[...], &lines)
    return lines
  }

  /// Reads the lines that are whole; what is left waits for more.
  private func take(
    _ bytes: UnsafeRawBufferPointer,
    _ rest: inout [UInt8],
    _ lines: inout StoryLines
  ) throws {
    var first = 0
    while let end = bytes[first...].firstIndex(of: UInt8(ascii: "\n")) {
      rest += bytes[first..<end]
      try take(rest[...], &lines)
      rest.removeAll(keepingCapacity: true)
      first = end + 1
    }
    rest += bytes[first...]
    guard rest.count <= StoryLines.lineBytesMax else {
      throw damaged("a line is longer than \(StoryLines.lineBytesMax) bytes")
    }
  }

  private func take(_ line: ArraySlice<UInt8>, _ lines: inout StoryLines) throws {
    do throws(StoryError) {
      try lines.read(line)
    } catch {
      throw damaged(error.description)
    }
  }

  private func damaged(_ problem: String) -> ExitCode {
    Failure.say("\(Printable.line(file)): \(problem)")
    return TraceOpening.damaged
  }

  private func refuse(_ code: Int32) -> ExitCode {
    Failure.say("\(Printable.line(file)): cannot be read: \(errnoText(code))")
    return TraceOpening.io
  }
}
