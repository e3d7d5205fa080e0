// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// Saves of an object that has a form of its own in its file: packed, or with a frame around it. The hash of
// what is saved is never that of an edit, and tells by itself alone nothing of it. But the form follows from
// the content: where two saves of two contents wrote the very same bytes, one of them wrote the other's, or
// the file leaves out what is different between the two.

extension Older {
  /// A save that wrote other bytes than its edit has.
  struct Formed: Equatable, Sendable, BitwiseCopyable {
    var version: UInt64
    /// The hash of the edit, and that of what was written.
    var content: UInt64
    var written: UInt64
    var time: HostTime
    var sequence: UInt64
    var site: SiteID
  }

  /// The last such saves of each object.
  struct Forms: Sendable {
    private struct Known: Sendable {
      var saves: [Formed] = []
      /// One content, or one version, had two forms: what a save has written says nothing of another.
      var isLoose = false
      var isTold = false
    }

    /// As many saves of each object are compared.
    private static let savesMax = 8

    private var known: [NameID: Known] = [:]

    /// Of how many objects something is known.
    var count: Int { known.count }

    /// What is read, or given up, may be what is in memory from now on.
    mutating func forget(_ name: NameID) { known[name]?.saves = [] }

    /// It has been said of the object, and is true of it as long as it is saved like this.
    mutating func isTold(_ name: NameID) { known[name]?.isTold = true }

    /// The last save of another content that wrote the same bytes; nil where none is known, and where a
    /// content has no certain form.
    mutating func twin(of save: Formed, in name: NameID, hasRoom: Bool) -> Formed? {
      guard hasRoom || known[name] != nil else { return nil }
      var object = known[name] ?? Known()
      defer { known[name] = object }
      if object.saves.contains(where: {
        $0.written != save.written && ($0.content == save.content || $0.version == save.version)
      }) {
        object.isLoose = true
      }
      let twin = object.saves.last {
        $0.written == save.written && $0.content != save.content && $0.version < save.version
      }
      if object.saves.count == Self.savesMax { object.saves.removeFirst() }
      object.saves.append(save)
      return object.isLoose || object.isTold ? nil : twin
    }

    /// Whether an earlier save of the object can be compared with this one.
    func isKnown(_ name: NameID) -> Bool { known[name]?.saves.isEmpty == false }
  }

  /// A save that wrote once more what a save of another content had written.
  ///
  /// Where that content is one of before that save, it has come back: then the save in between may have had
  /// it already, and the right number.
  mutating func again(
    _ save: Payload.DataDurable,
    of edit: DataObject.Edit,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext
  ) -> Stale? {
    let name = object.name
    let formed = Formed(
      version: save.version,
      content: edit.hash,
      written: save.hash,
      time: event.time,
      sequence: event.sequence,
      site: event.site
    )
    let isKnown = forms.isKnown(name)
    let hasRoom = context.hasRoom(forms.count, for: "object")
    guard let twin = forms.twin(of: formed, in: name, hasRoom: hasRoom) else {
      if isKnown { context.held() }
      return nil
    }
    if let known = edits[name]?.versions(of: edit.hash), known.lowerBound < twin.version {
      context.held()
      return nil
    }
    var old = Stale(save, of: edit, written: twin.version, event)
    old.twin = twin
    return old
  }
}
