// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

/// Where an export goes: standard output, or a file that is there as a whole or not at all.
///
/// The file is written beside its place and moved there at the end, in place of what stood there. One
/// whose name ends with `.zst` is compressed.
struct ExportOutput: ~Copyable {
  private let path: String?
  private var place = ""
  /// The file while it is written; empty for standard output, and once it is in its place.
  private(set) var draft = ""
  private var descriptor = STDOUT_FILENO
  /// Where the name asks for it.
  private let compressed: CompressedOutput?

  /// For the file at `path`, where nil and `-` are standard output; what is no stream is not compressed.
  init(_ path: String?, isStream: Bool) throws {
    self.path = path == "-" ? nil : path
    compressed = isStream && path?.hasSuffix(".zst") == true ? CompressedOutput() : nil
    guard let path = self.path else { return }
    TraceOpening.ignoreFileSizeSignal()
    do throws(TraceFileError) {
      place = try TracePath.resolve(path)
    } catch {
      throw TraceOpening.leave(error)
    }
    draft = "\(place).\(getpid()).new"
    descriptor = open(draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw leave("cannot write it", errno) }
    DraftSignals.remove(draft)
  }

  deinit {
    if descriptor > STDERR_FILENO { close(descriptor) }
    if !draft.isEmpty { unlink(draft) }
  }

  /// Whether a person would see the bytes.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let compressed else { return try put(bytes) }
    try compressed.add(bytes) { try put($0) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws {
    let problem = Descriptor.write(bytes, to: descriptor)
    guard problem != 0 else { return }
    guard path != nil || problem != EPIPE else { throw ExitCode.success }
    throw leave("cannot write it", problem)
  }

  /// Puts the file in its place.
  mutating func finish() throws {
    if let compressed {
      try compressed.add(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) { try put($0) }
    }
    guard !draft.isEmpty else { return }
    guard rename(draft, place) == 0 else { throw leave("cannot put it in its place", errno) }
    DraftSignals.keep()
    draft = ""
  }

  private func leave(_ what: String, _ code: Int32) -> ExitCode {
    let full =
      !draft.isEmpty && [ENOSPC, EDQUOT, EFBIG].contains(code)
      ? "; nothing was written. Make room, or write elsewhere with -o" : ""
    Failure.say("\(Printable.line(path ?? "standard output")): \(what): \(errnoText(code))\(full)")
    return TraceOpening.io
  }
}
