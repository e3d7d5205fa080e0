// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
public import LifetraceTrace

/// What went wrong with a trace file: where, what was found, what would have done, what helps.
///
///     cold.lifetrace: chunk at byte 40960: payload checksum is 9f3a0c11, expected 77c1be02
///       To keep what is readable: lifetrace repair cold.lifetrace -o OUT
public struct TraceFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of wrong it is.
  public enum Reason: Equatable, Sendable {
    /// The system refused: what was tried, and errno.
    case io(operation: String, code: Int32)
    /// No room was left; the file was cut back to its last whole chunk.
    case full(code: Int32)
    /// Another process writes to the file.
    case locked
    /// The file is there already.
    case exists
    /// The path leads to no plain file, but to this.
    case notAFile(String)
    /// The path is a symbolic link to a file that is not there.
    case danglingLink(to: String)
    /// No part of the file is a trace.
    case notATrace
    /// There is not one event in the file.
    case empty
    /// It was written by a later version of the format.
    case version(UInt16)
    /// Bytes are not what they should be.
    case damaged(part: String, found: String, expected: String)
  }

  /// The path of the file.
  public var path: String
  /// The byte at which the damaged thing begins.
  public var byte: UInt64?
  /// What kind of wrong it is.
  public var reason: Reason

  /// An error about the file at `path`.
  package init(_ path: String, byte: UInt64? = nil, _ reason: Reason) {
    self.path = path
    self.byte = byte
    self.reason = reason
  }

  init(_ path: String, byte: UInt64, _ damage: ChunkDamage) {
    self.init(
      path,
      byte: byte,
      .damaged(
        part: "\(damage.part) (byte \(damage.offset) within)",
        found: damage.foundText,
        expected: damage.expected
      )
    )
  }

  /// Whether the system failed us rather than the bytes: exit code 74 instead of 2.
  public var isIO: Bool {
    switch reason {
    case .io, .full, .locked, .exists, .notAFile, .danglingLink: true
    case .notATrace, .empty, .version, .damaged: false
    }
  }

  /// What is wrong and, on a second line, what helps.
  public var description: String {
    let head = "\(Printable.line(path)): \(finding)"
    return help.map { "\(head)\n  \($0)" } ?? head
  }

  /// What is wrong, in one line, without the name of the file.
  var finding: String {
    let place = byte.map { "chunk at byte \($0): " } ?? ""
    return switch reason {
    case .io(let operation, let code): "cannot \(operation): \(errnoText(code))"
    case .full(let code): "\(errnoText(code)); the trace was cut back to its last whole chunk"
    case .locked: "another process is writing to it"
    case .exists: "exists; choose another name with -o, or replace it with --force"
    case .notAFile(let what): "is \(what), and no trace can stand there; name a file"
    case .danglingLink(let target):
      "is a symbolic link to \(target), which is not there; name that file with -o, "
        + "or remove the link"
    case .notATrace: "not a trace: no chunk found in it"
    case .empty: "holds no events: cut before its first chunk, or only just begun"
    case .version(let version):
      "\(place)written by version \(version) of the format, this program reads up to "
        + "\(TraceFormat.version)"
    case .damaged(let part, let found, let expected):
      "\(place)\(part) is \(found), expected \(expected)"
    }
  }

  private var help: String? {
    switch reason {
    case .io, .exists, .notAFile, .danglingLink, .empty: nil
    case .full: "Everything up to there is readable."
    case .locked: "Wait until it ends, or record into another file with -o"
    case .notATrace: "A log or a story becomes one with: lifetrace import"
    case .version: "Use a newer lifetrace."
    case .damaged: "To keep what is readable: lifetrace repair \(Printable.line(path)) -o OUT"
    }
  }
}

/// Something about a trace that a reader should know; reading went on.
public struct TraceProblem: Hashable, Sendable, CustomStringConvertible {
  /// What kind of problem.
  public enum Kind: String, Hashable, Sendable {
    /// Bytes are not what they should be; the events in them are missing.
    case damage
    /// Sequence numbers of a stream are missing.
    case gap
    /// A stream begins with a later event, and nothing says that its recording keeps only its last part.
    case noBegin
    /// A chunk of the same identity has other bytes; the longer one was taken, else the first.
    case conflict
    /// The file ends within a chunk.
    case tornTail
    /// An index cannot be read; no event is in one.
    case index
    /// Names and sites take more memory than a reader gives them; the file itself may be whole.
    case names
    /// Nothing says that the recording ended well.
    case noEnd
  }

  /// What kind of problem.
  public var kind: Kind
  /// Where in the file.
  public var byte: UInt64?
  /// The stream that the problem is about, if it is about one.
  public var stream: StreamID?
  /// The problem in one sentence.
  public var text: String

  init(_ kind: Kind, at byte: UInt64? = nil, stream: StreamID? = nil, _ text: String) {
    self.kind = kind
    self.byte = byte
    self.stream = stream
    self.text = text
  }

  /// Whether the file is damaged, rather than unfinished.
  public var isDamage: Bool { kind != .noEnd && kind != .noBegin }

  /// Whether a copy of what is readable would be free of it.
  public var isRepairable: Bool { isDamage && kind != .names }

  /// The problem in one sentence.
  public var description: String { text }
}
