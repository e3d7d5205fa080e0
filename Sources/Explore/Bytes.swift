// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceScenario
import LifetraceTrace
import LifetraceWords

// What is reported saved has a size and a hash (XXH64): of what the file holds where the SDK or the
// observing library has written it, and of what the app likes where it reports by itself. Which file
// that is no event says. So the file of an object is the one that was seen to hold the very bytes of a
// claim, and alone has its name; where none has, the only one, if it has held those of two different
// claims. Of an object that was moved, or is copied under its own name, or saved in turns, none is certain,
// and none is compared.

/// Which file holds which object, as far as looks at the files have shown it.
package struct FilesOfObjects: Sendable {
  /// What is compared of a file.
  struct Facts: Sendable {
    var bytes: UInt64
    /// Nil for one that was not read.
    var hash: UInt64?
  }

  /// Objects of which bytes were reported saved, by name.
  package struct Summary: Sendable {
    /// With their files.
    package var compared: [(object: String, file: String)] = []
    /// Those of which no file was seen to hold the bytes.
    package var unknown: [String] = []
  }

  private struct Key: Hashable {
    var app: Int
    var object: String
  }

  /// By app and object: the files that have held claimed bytes, and the hashes of those.
  private var seen: [Key: [String: Set<UInt64>]] = [:]
  private var claimed: Set<String> = []

  /// What is compared of the files; those that a look has left out are missing.
  static func facts(_ left: LeftFiles) -> [String: Facts] {
    left.files.mapValues { file in
      let hash = file.content.map { bytes in
        bytes.withUnsafeBytes { lt_hash($0.baseAddress, $0.count) }
      }
      return Facts(bytes: file.bytes, hash: hash)
    }
  }

  /// Learns from the files that `app` had when these had to be there.
  mutating func learn(_ claims: [Claim], from left: [String: Facts], ofApp app: Int) {
    for claim in claims {
      claimed.insert(claim.object)
      // Empty files are all alike.
      guard claim.content.bytes > 0 else { continue }
      for (path, file) in left
      where file.bytes == claim.content.bytes && file.hash == claim.content.hash {
        let key = Key(app: app, object: claim.object)
        seen[key, default: [:]][path, default: []].insert(claim.content.hash)
      }
    }
  }

  /// Learns from each look of a life at the files of an app that has ended, or lives at its end.
  mutating func learn(_ life: StagedLife) {
    var states: [Int: LifeState] = [:]
    for (start, stream) in life.streamOfStart.enumerated() {
      guard let stream else { continue }
      let app = life.report.starts[start].app
      let state = life.folded(stream, after: states[app])
      states[app] = state
      guard let left = life.report.starts[start].left else { continue }
      let claims = life.claims(of: state, in: stream, at: .kernel)
      learn(claims, from: Self.facts(left), ofApp: app)
    }
  }

  /// The file of the object; nil as long as none is known for certain.
  func file(of object: String, ofApp app: Int) -> String? {
    guard let files = seen[Key(app: app, object: object)] else { return nil }
    let named = files.keys.filter { Self.isNamed($0, object) }
    guard named.isEmpty else { return named.count == 1 ? named[0] : nil }
    guard files.count == 1, let only = files.first, only.value.count > 1 else { return nil }
    return only.key
  }

  private static func isNamed(_ path: String, _ object: String) -> Bool {
    path == object || path.split(separator: "/").last.map(String.init) == object
  }

  /// What is compared, and what not.
  var summary: Summary {
    var compared: [String: String] = [:]
    for key in seen.keys { compared[key.object] = file(of: key.object, ofApp: key.app) }
    return Summary(
      compared: compared.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      unknown: claimed.filter { compared[$0] == nil }.sorted()
    )
  }

  /// A finding for each claim whose bytes are not in its file; of objects whose file is not known nothing
  /// is said.
  func missing(_ claims: [Claim], in left: [String: Facts], ofApp app: Int) -> [Found] {
    claims.compactMap { claim in
      guard let path = file(of: claim.object, ofApp: app), let what = claim.fault(of: left[path])
      else { return nil }
      let size = Quantity.bytes(claim.content.bytes)
      return Found(
        .bytes,
        claim.object,
        "\(claim.object): version \(claim.version) (\(size)) was reported saved, and before the next "
          + "launch its file \(path) \(what)",
        advice:
          "Report a version saved when its bytes are in place: written into a file beside it, synced, and "
          + "renamed."
      )
    }
  }
}

/// What has to be in the file of an object behind an end: at least what was reported to survive it.
struct Claim: Sendable {
  let object: String
  let version: UInt64
  /// What was reported.
  let content: DataObject.Content
  /// What may be there in its place: newer versions, which the end may have spared.
  let newer: Set<DataObject.Content>

  /// What is wrong with the file, as a sentence goes on; nil where it has what it has to have.
  func fault(of file: FilesOfObjects.Facts?) -> String? {
    guard let file else { return "was not there" }
    let allowed = newer.union([content])
    guard let hash = file.hash else {
      // What is too large to be read has a size.
      return allowed.contains { $0.bytes == file.bytes }
        ? nil : "had \(Quantity.bytes(file.bytes))"
    }
    guard !allowed.contains(DataObject.Content(bytes: file.bytes, hash: hash)) else { return nil }
    return file.bytes == content.bytes
      ? "held other bytes of that length" : "held \(Quantity.bytes(file.bytes)) of something else"
  }
}

extension Trial {
  /// What the files are asked for: not of what something worse was found already.
  var claimsToJudge: [Claim] {
    let told = ["DS12", Oracle.claim.rawValue, Oracle.whole.rawValue]
    let objects = Set(found.filter { told.contains($0.kind.rule) }.map(\.kind.object))
    return claims.filter { !objects.contains($0.object) }
  }
}

extension StagedLife {
  /// What goes wrong with the end of start `start`, of a life that nobody explores: which file is whose
  /// is seen in this one alone.
  package func judged(ofStart start: Int, _ act: ScriptedEnd.Act, by checker: Checker) -> [Found] {
    let trial = trial(ofStart: start, act, by: checker)
    var files = FilesOfObjects()
    files.learn(self)
    return trial.found + missingBytes(trial, ofStart: start, files)
  }

  /// Claims of the process that are not in the files which it has left.
  func missingBytes(_ trial: Trial, ofStart start: Int, _ files: FilesOfObjects) -> [Found] {
    guard let left = report.starts[start].left, !left.isCut else { return [] }
    return files.missing(
      trial.claimsToJudge,
      in: FilesOfObjects.facts(left),
      ofApp: report.starts[start].app
    )
  }

  /// What was reported, with its bytes, to survive an end that `level` survives, of the process in
  /// `stream`, which has left `state`.
  func claims(of state: LifeState, in stream: Int, at level: DurabilityLevel) -> [Claim] {
    state.data.values.sorted { names[$0.name] < names[$1.name] }.compactMap { object in
      let version = reported(object, at: level)
      guard version > 0, object.discarded < version, !object.isBeingSaved,
        let content = standing(object, at: level, in: stream)
      else { return nil }
      guard let newer = contents(of: object.name, after: version, in: stream) else { return nil }
      return Claim(object: names[object.name], version: version, content: content, newer: newer)
    }
  }

  /// The newest version that was reported to survive an end that `level` survives, in this life or before.
  ///
  /// What a life before has left survived the end of that one: whether it survives more is known only of
  /// what stands in the file.
  func reported(_ object: DataObject, at level: DurabilityLevel) -> UInt64 {
    let isInherited = level <= .kernel || object.standing(at: level) != nil
    return max(object.durable[level], isInherited ? object.inherited?.version ?? 0 : 0)
  }

  /// The contents of newer versions, each of which may be in the file by now; nil where nobody knows what
  /// may be there.
  ///
  /// An app that does not say when it begins to save may have put each edit there.
  private func contents(
    of name: NameID,
    after version: UInt64,
    in stream: Int
  ) -> Set<DataObject.Content>? {
    var newer: Set<DataObject.Content> = []
    let events = writers[stream].events.filter { $0.identityName == name }
    let saysFlushing = events.contains { $0.kind == .dataFlushing }
    for event in events {
      let content: (version: UInt64, bytes: UInt64, hash: UInt64)
      switch event.kind {
      case .dataDurable:
        let save = Payload.DataDurable(event)
        content = (save.version, save.bytes, save.hash)
      case .dataDirty where !saysFlushing || Payload.DataDirty(event).hash != 0:
        let edit = Payload.DataDirty(event)
        content = (edit.version, edit.bytes, edit.hash)
      default: continue
      }
      guard content.version > version else { continue }
      guard content.hash != 0 else { return nil }
      newer.insert(DataObject.Content(bytes: content.bytes, hash: content.hash))
    }
    return newer
  }

  /// What was reported of the newest version that has reached `level`, where a newer one has not.
  private func standing(
    _ object: DataObject,
    at level: DurabilityLevel,
    in stream: Int
  ) -> DataObject.Content? {
    if let known = object.standing(at: level) { return known }
    guard !object.isDoubtful, !object.isCrossed else { return nil }
    let save = writers[stream].events.last {
      guard $0.kind == .dataDurable, $0.identityName == object.name else { return false }
      let said = Payload.DataDurable($0)
      return said.version == object.durable[level] && said.level.rawValue >= UInt64(level.rawValue)
    }
    guard let save else { return nil }
    let said = Payload.DataDurable(save)
    return said.hash == 0 ? nil : DataObject.Content(bytes: said.bytes, hash: said.hash)
  }
}
