// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// What senders have sent, as it came, until it is made a recording.
///
///     let spool = OTLPSpool(beside: "run.lifetrace")     // run.otlp.pb and run.otlp.jsonl
///     try spool.create()
///
/// Batches of protobuf, one behind the other, are a batch; those of JSON have a line each: `import otlp` reads
/// both files, also those that an interrupted recording has left.
package final class OTLPSpool {
  /// Each file is as long as an import takes it, and no longer.
  package static let bytesMax = OTLPBatch.fileBytesMax

  private let stem: String
  private var open: [OTLPBatch.Form: (descriptor: Int32, bytes: Int)] = [:]

  /// The spool of the recording at `path`.
  package init(beside path: String) {
    stem = path.hasSuffix(".lifetrace") ? String(path.dropLast(".lifetrace".count)) : path
  }

  deinit { for file in open.values { close(file.descriptor) } }

  /// The recording that is made of it.
  package var recording: String { stem + ".otlp.lifetrace" }

  /// Where batches of a form are kept.
  package func path(of form: OTLPBatch.Form) -> String {
    switch form {
    case .protobuf: stem + ".otlp.pb"
    case .json: stem + ".otlp.jsonl"
    }
  }

  /// Those that are there, of this recording or another.
  package var files: [String] {
    OTLPBatch.Form.allCases.map(path).filter { access($0, F_OK) == 0 }
  }

  /// Makes the files, for their owner's eyes: redaction comes later.
  ///
  /// - Throws: ``OTLPError``, also where one is there.
  package func create() throws(OTLPError) {
    for form in OTLPBatch.Form.allCases {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
      let descriptor = LifetracePlatform.open(path(of: form), flags, 0o600)
      guard descriptor >= 0 else {
        let why = errnoText(errno)
        remove()
        throw OTLPError("\(path(of: form)): \(why)", isUnreadable: true)
      }
      open[form] = (descriptor, 0)
    }
  }

  /// Removes the files that it has made.
  package func remove() {
    for (form, file) in open {
      close(file.descriptor)
      unlink(path(of: form))
    }
    open = [:]
  }

  /// Appends a batch, which is not compressed; why not, where that fails.
  package func keep(_ bytes: [UInt8], _ form: OTLPBatch.Form) -> String? {
    guard let file = open[form] else { preconditionFailure("created before it keeps") }
    let bytes =
      form == .protobuf ? bytes : bytes.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 } + [0x0a]
    guard file.bytes + bytes.count <= Self.bytesMax else {
      return "the recording has \(file.bytes) bytes of OpenTelemetry, and takes no more than "
        + "\(Self.bytesMax)"
    }
    let problem = Descriptor.write(bytes, to: file.descriptor)
    guard problem == 0 else {
      // Half a batch would spoil those behind it.
      _ = ftruncate(file.descriptor, off_t(file.bytes))
      return "\(path(of: form)): \(errnoText(problem))"
    }
    open[form] = (file.descriptor, file.bytes + bytes.count)
    return nil
  }
}
