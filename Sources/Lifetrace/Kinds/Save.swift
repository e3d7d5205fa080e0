// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension Lifetrace {
  /// A save or a restore that the system refused.
  public struct FileError: Error, CustomStringConvertible {
    /// The `errno` of the step that failed.
    public let code: Int32
    /// The path of the file that was to be written.
    public let path: String

    /// For a log line.
    public var description: String { "\(path): \(String(cString: strerror(code)))" }
  }

  /// Writes what `body` makes to `path`, whole or not at all, and says truly what became of it.
  ///
  /// It writes a temporary file beside `path`, syncs it, renames it and syncs the
  /// directory; then the version that `object` had when `body` was called is durable
  /// at `level`. ``Level/kernel`` leaves the syncs out; on Apple platforms a sync is
  /// `F_FULLFSYNC` (untested there). The version and a hash (XXH64)
  /// go along in the attribute `user.lifetrace.version` of the file, or in
  /// `.NAME.version` beside it, for `restore(_:from:file:line:)` to find.
  ///
  /// An object lives in one file: that of its first save or restore, whatever it finds there. A save
  /// to another one, such as a backup or an export, is recorded as a copy (`data.copied`) and does
  /// not count: the object's own file still holds what it held. Where a file moves, say
  /// ``Object/moved(to:)`` before the first save to its new place, or ask the new place first.
  ///
  /// A file that is replaced hands on its permissions (a new file has 0600); a symbolic link is
  /// followed and stays. A save that was killed may leave `PATH.saving-0` beside the file; the next
  /// save removes it. It works the same without a recorder.
  public static func save<Content: Collection>(
    _ object: Object,
    to path: String,
    level: Level = .disk,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws -> Content
  ) throws where Content.Element == UInt8 {
    lt_version_raise(object.name.id, 1)
    let version = object.version
    let site = Site("", file: file, line: line).id
    let content: Content
    do {
      content = try body()
    } catch {
      lt_save_not_begun(object.name.id, site, version, "encode")
      throw error
    }
    let write = { (bytes: UnsafeBufferPointer<UInt8>) in
      lt_save_version(
        object.name.id,
        site,
        path,
        bytes.baseAddress,
        bytes.count,
        UInt32(level.rawValue),
        version
      )
    }
    let code =
      content.withContiguousStorageIfAvailable(write)
      ?? Array(content).withUnsafeBufferPointer(write)
    if code != 0 { throw FileError(code: code, path: path) }
  }

  /// Writes what `body` makes to `path` under the name of an object.
  public static func save<Content: Collection>(
    _ object: Name,
    to path: String,
    level: Level = .disk,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws -> Content
  ) throws where Content.Element == UInt8 {
    try save(Object(object), to: path, level: level, file: file, line: line, body)
  }

  /// Reads the saved bytes, and reports which version they are.
  ///
  /// The bytes found in the object's own file count as its content from now on, whichever program
  /// wrote them. Reading another file is a look at a copy (`data.read`): its content is in no file
  /// of the object until it is saved.
  ///
  /// - Returns: nil when there is no such file.
  public static func restore(
    _ object: Object,
    from path: String,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) throws(FileError) -> (bytes: [UInt8], version: UInt64)? {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    var version: UInt64 = 0
    let site = Site("", file: file, line: line).id
    let code = lt_restore(object.name.id, site, path, &bytes, &count, &version)
    defer { free(bytes) }
    if code == ENOENT { return nil }
    if code != 0 { throw FileError(code: code, path: path) }
    return (Array(UnsafeRawBufferPointer(start: bytes, count: count)), version)
  }

  /// Reads what was saved under the name of an object.
  public static func restore(
    _ object: Name,
    from path: String,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) throws(FileError) -> (bytes: [UInt8], version: UInt64)? {
    try restore(Object(object), from: path, file: file, line: line)
  }

  static func hash(of content: some Collection<UInt8>) -> UInt64 {
    let hash = { (bytes: UnsafeBufferPointer<UInt8>) in lt_hash(bytes.baseAddress, bytes.count) }
    return content.withContiguousStorageIfAvailable(hash)
      ?? Array(content).withUnsafeBufferPointer(hash)
  }

  /// The content hash that saves and restores report: XXH64 with seed 0.
  public static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    lt_hash(bytes.baseAddress, bytes.count)
  }
}
