// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A piece of the user's data: a document, a draft, a setting.
  ///
  ///     let draft = Lifetrace.Object("draft.txt")
  ///     draft.dirty { text.utf8 }                  // version 1 is in memory only
  ///     try Lifetrace.save(draft, to: path) { Array(text.utf8) }
  ///
  /// Versions count up by themselves, one for each ``dirty(bytes:hash:file:line:)``.
  /// Two objects of one name are the same object.
  public struct Object: Hashable, Sendable {
    /// What it is called in the trace.
    public let name: Name

    /// The object of that name.
    public init(_ name: Name) { self.name = name }

    /// The object of that name.
    public init(_ name: String) { self.name = Name(name) }

    /// The latest version, 0 before the first.
    public var version: UInt64 { lt_version(name.id) }

    /// It was changed in memory, and is on no disk yet.
    ///
    /// Where the bytes are at hand, ``dirty(file:line:_:)`` says more.
    ///
    /// - Returns: The new version.
    @discardableResult
    public func dirty(
      bytes: Int,
      hash: UInt64 = 0,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) -> UInt64 {
      let version = lt_version_next(name.id)
      guard isEnabled else { return version }
      emit(
        .dataDirty,
        Site("", file: file, line: line).id,
        UInt64(name.id),
        3,
        version,
        UInt64(truncatingIfNeeded: bytes),
        hash
      )
      return version
    }

    /// Reports a change in memory.
    ///
    /// `content` makes the bytes, and is called only while a recorder listens.
    ///
    /// The hash of the bytes goes along, so that an edit which is taken back is not called unsaved.
    ///
    /// - Returns: The new version.
    @discardableResult
    public func dirty<Content: Collection>(
      file: StaticString = #fileID,
      line: UInt32 = #line,
      _ content: () -> Content
    ) -> UInt64 where Content.Element == UInt8 {
      guard isEnabled else { return lt_version_next(name.id) }
      let bytes = content()
      let hash = Lifetrace.hash(of: bytes)
      return dirty(bytes: bytes.count, hash: hash, file: file, line: line)
    }

    /// A version needs no save: its bytes are those that the last save or restore has put or found.
    ///
    /// Reports so, with the level that those bytes have reached. Where several threads edit, take
    /// the version before you compare: another thread may make a newer one meanwhile.
    ///
    ///     let version = draft.version
    ///     if text == savedText { draft.unchanged(version: version) }
    ///
    /// - Returns: False where no save or restore of it is known since it was discarded; then say
    ///   ``durable(version:level:bytes:hash:file:line:)``.
    @discardableResult
    public func unchanged(
      version: UInt64? = nil,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) -> Bool {
      let site = isEnabled ? Site("", file: file, line: line).id : 0
      return lt_data_unchanged(name.id, site, version ?? self.version)
    }

    /// A save of a version begins, by other means than `save(_:to:level:file:line:_:)`.
    public func flushing(
      version: UInt64,
      bytes: Int,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      let site = isEnabled ? Site("", file: file, line: line).id : 0
      lt_data_flushing(name.id, site, version, UInt64(truncatingIfNeeded: bytes))
    }

    /// A version has reached a level, whether or not ``flushing(version:bytes:file:line:)`` was said.
    ///
    /// `hash` is that of what the file holds, which may be more than the bytes of the edit; 0 for
    /// unknown.
    public func durable(
      version: UInt64,
      level: Level,
      bytes: Int,
      hash: UInt64 = 0,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      let site = isEnabled ? Site("", file: file, line: line).id : 0
      let level = UInt32(level.rawValue)
      lt_data_durable(name.id, site, version, level, UInt64(truncatingIfNeeded: bytes), hash)
    }

    /// A version was read back from the object's own file; later ones count on from it.
    public func restored(
      version: UInt64,
      bytes: Int,
      hash: UInt64 = 0,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      let site = isEnabled ? Site("", file: file, line: line).id : 0
      lt_data_restored(name.id, site, version, UInt64(truncatingIfNeeded: bytes), hash)
    }

    /// A save failed: the version that was durable before still is.
    public func failed(
      version: UInt64,
      errno: Int32 = 0,
      why: Name,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      guard isEnabled else { return }
      emit(
        .dataFailed,
        Site("", file: file, line: line).id,
        UInt64(name.id),
        3,
        version,
        UInt64(bitPattern: Int64(errno)),
        UInt64(why.id)
      )
    }

    /// From now on the object lives in the file at `path`, where it has lived in another one.
    ///
    ///     let text = try Lifetrace.restore(draft, from: old)
    ///     draft.moved(to: new)
    ///     try Lifetrace.save(draft, to: new) { text }   // its own save, not a copy
    ///
    /// Say it while no save of the object is under way. What stands at `path` is not relied on until a
    /// save or a restore.
    public func moved(to path: String) { lt_data_moved(name.id, path) }

    /// Versions up to this one are given up on purpose.
    ///
    /// What stands in the file is not relied on from then on, until a save or a restore: it may be
    /// deleted. Say it before you delete it, and let no other thread save or restore the object between
    /// the two: what that has found would count as what stands there.
    public func discarded(
      version: UInt64? = nil,
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      let site = isEnabled ? Site("", file: file, line: line).id : 0
      lt_data_discarded(name.id, site, version ?? self.version)
    }
  }
}
