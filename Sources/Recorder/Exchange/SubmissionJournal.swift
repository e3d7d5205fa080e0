// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import Synchronization
import LifetraceTrace

/// Events of host and recorder that are not in the trace yet, in files of the session's directory.
///
///     told-1  told-2 …     a record for each event; a file goes when all of its events are in the trace
///
/// An app's own events stand in its pool; this is the pool of host and recorder. A record is
/// written before the call that hands the event over returns, so a SIGKILL of the recorder takes
/// none. Before a chunk is written its events' records say which number of which stream they get; a
/// successor sees by that number whether the event is in the trace. Where there is no room the
/// event is reported all the same, and only a kill would lose it.
final class SubmissionJournal: Sendable {
  /// Where the record of an event is.
  struct Place: Hashable, Sendable {
    fileprivate var file: Int
    fileprivate var offset: Int
  }

  /// Where an event stands, or will stand.
  struct Destination: Hashable, Sendable {
    var writer: WriterID
    var sequence: UInt64
  }

  /// Events submitted to a dead recorder that it may not have written.
  struct Left: Sendable {
    var post: Submission
    /// Where it was to stand; nil where it had no number yet.
    var destination: Destination?
  }

  private struct File: Sendable {
    var descriptor: Int32
    var bytes = 0
    /// Records that are not in the trace yet.
    var open = 0
  }

  private struct State: Sendable {
    var files: [Int: File] = [:]
    /// Records go to this one; 0 for none.
    var last = 0
  }

  private let directory: String
  private let state = Mutex(State())

  private static let prefix = "told-"
  private static var fileBytesMax: Int { 256 << 10 }
  /// Length, checksum, and the destination: the writer, and the number plus one.
  private static var headBytes: Int { 32 }
  private static var destinationOffset: Int { 8 }
  /// In the trace, or nowhere for good.
  private static var done: Destination {
    Destination(writer: WriterID(high: 0, low: 0), sequence: .max - 1)
  }

  init(in directory: String) { self.directory = directory }

  deinit {
    state.withLock { for file in $0.files.values { close(file.descriptor) } }
  }

  /// Keeps the event; nil where there is no room.
  func keep(_ post: Submission) -> Place? {
    let body = post.encoded
    var record = ByteWriter()
    record.word(UInt32(body.count))
    record.word(body.withUnsafeBytes { cplatform_crc32c(0, $0.baseAddress, $0.count) })
    record.bytes += Self.bytes(of: nil)
    record.bytes += body
    return state.withLock { state in
      if state.files[state.last].map({ $0.bytes >= Self.fileBytesMax }) ?? true {
        guard begin(&state) else { return nil }
      }
      let number = state.last
      guard var file = state.files[number] else { return nil }
      let place = Place(file: number, offset: file.bytes)
      guard Self.write(record.bytes, file, at: file.bytes) else {
        // Behind a torn record none could be read.
        _ = ftruncate(file.descriptor, off_t(file.bytes))
        return nil
      }
      file.bytes += record.count
      file.open += 1
      state.files[number] = file
      return place
    }
  }

  private func begin(_ state: inout State) -> Bool {
    let number = (state.files.keys.max() ?? state.last) + 1
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = open("\(directory)/\(Self.prefix)\(number)", flags, 0o600)
    guard descriptor >= 0 else { return false }
    let full = state.last
    state.files[number] = File(descriptor: descriptor)
    state.last = number
    removeIfDone(full, &state)
    return true
  }

  /// The event is about to stand there; nil: it is not, after all.
  func send(_ place: Place, to destination: Destination?) {
    state.withLock { state in
      guard let file = state.files[place.file] else { return }
      let head = Self.bytes(of: destination)
      _ = Self.write(head, file, at: place.offset + Self.destinationOffset)
    }
  }

  /// The event is in the trace, or nowhere for good.
  func release(_ place: Place) {
    state.withLock { state in
      guard let file = state.files[place.file] else { return }
      let head = Self.bytes(of: Self.done)
      _ = Self.write(head, file, at: place.offset + Self.destinationOffset)
      state.files[place.file]?.open -= 1
      removeIfDone(place.file, &state)
    }
  }

  private func removeIfDone(_ number: Int, _ state: inout State) {
    guard let file = state.files[number], file.open == 0, number != state.last else { return }
    unlink("\(directory)/\(Self.prefix)\(number)")
    close(file.descriptor)
    state.files[number] = nil
  }

  private static func bytes(of destination: Destination?) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.word(destination?.writer.high ?? 0)
    bytes.word(destination?.writer.low ?? 0)
    bytes.word(destination.map { $0.sequence + 1 } ?? 0)
    return bytes.bytes
  }

  private static func write(_ bytes: [UInt8], _ file: File, at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(
          file.descriptor,
          $0.baseAddress.map { $0 + done },
          $0.count - done,
          off_t(offset + done)
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}

// What a dead recorder has left.
extension SubmissionJournal {
  /// Continues with the files that are there: their events may not be in the trace.
  ///
  /// Each has its place and is to be released as one of its own.
  func takeOver() -> [Left] {
    var left: [Left] = []
    let numbers = namesInDirectory(directory)
      .compactMap { $0.hasPrefix(Self.prefix) ? Int($0.dropFirst(Self.prefix.count)) : nil }
    for number in numbers.sorted() where number > 0 {
      let path = "\(directory)/\(Self.prefix)\(number)"
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      // What cannot be read now is left for another try.
      guard let bytes = SmallFile.bytesIfReadable(path, bytesMax: Self.readBytesMax) else {
        close(descriptor)
        continue
      }
      let found = Self.read(bytes, file: number)
      left += found
      state.withLock { state in
        // No record goes behind those of another recorder: the last of them may be torn.
        state.files[number] = File(descriptor: descriptor, bytes: 0, open: found.count)
        removeIfDone(number, &state)
      }
    }
    return left
  }

  /// A file ends with the record that passes its size.
  private static var readBytesMax: Int { 64 << 20 }

  private static func read(_ bytes: [UInt8], file: Int) -> [Left] {
    var left: [Left] = []
    var input = ByteReader(bytes)
    while input.remaining > headBytes {
      let place = Place(file: file, offset: input.position)
      do throws(ChunkDamage) {
        guard let (post, destination) = try record(&input), destination != done else { continue }
        left.append(Left(post: post.kept(at: place), destination: destination))
      } catch {
        // A torn one is the last.
        break
      }
    }
    return left
  }

  /// Nil for one that says what is not understood.
  private static func record(_ input: inout ByteReader) throws(ChunkDamage)
    -> (Submission, Destination?)?
  {
    let length: UInt32 = try input.word("length")
    let sum: UInt32 = try input.word("checksum")
    let writer = WriterID(high: try input.word("high"), low: try input.word("low"))
    let number: UInt64 = try input.word("number")
    let range = try input.take(Int(length), "body")
    let body = Array(input.bytes[range])
    guard body.withUnsafeBytes({ cplatform_crc32c(0, $0.baseAddress, $0.count) }) == sum else {
      throw ChunkDamage("body", found: sum, expected: 0, at: range.lowerBound)
    }
    guard let post = try? Submission(decoding: body) else { return nil }
    let destination = Destination(writer: writer, sequence: number &- 1)
    return (post, number == 0 ? nil : destination)
  }
}
