// SPDX-License-Identifier: GPL-3.0-or-later
import CLifetracePlatform
import LifetraceJSON
package import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What the rules said of a large recording, kept for the next time that it is opened.
///
///     let cache = VerdictCache(of: path)
///     cache?.findings(judgement, timeline)     // nil: nothing is kept of this recording, so judge it
///
/// A file for each recording and judgement in `$XDG_CACHE_HOME/lifetrace/verdicts`, which is
/// `~/.cache/lifetrace/verdicts` without that; to be rid of all, remove the folder. It is never believed
/// unchecked. Its second line has what all in it follows from: device, inode, size and times of the
/// recording, the checksum of its end, where its index stands, the program, the profile, the rules and the
/// configuration; its third line is the checksum of the rest. What differs is dropped, and that is said.
package final class VerdictCache {
  /// Smaller recordings are judged before anybody has read a line.
  package static let eventsMin = Opening.checkedEventsMax
  /// More files than this are not kept; those that were written first go first.
  static let filesMax = 64
  /// A larger file is not read.
  private static let bytesMax = 32 << 20
  /// So much of the end of the recording is looked at.
  private static let endBytes = 64 << 10
  private static let heading = "lifetrace verdicts 1"

  private let recording: String
  private let folder: String
  private let configuration: [UInt8]
  private let eventsMin: Int
  /// What is to be said, once: a file that was dropped.
  private var news: [String] = []

  /// The cache of a finished recording, which a project's `configuration` may say how to judge; nil without
  /// a home.
  ///
  /// The folder is made when something is kept.
  package convenience init?(of recording: String, configuration: [UInt8] = []) {
    guard let folder = Paths.verdicts else { return nil }
    self.init(of: recording, in: folder, configuration, eventsMin: Self.eventsMin)
  }

  init(of recording: String, in folder: String, _ configuration: [UInt8] = [], eventsMin: Int) {
    (self.recording, self.folder) = (recording, folder)
    (self.configuration, self.eventsMin) = (configuration, eventsMin)
  }

  /// What was kept; nil where there is nothing, or not of this.
  package func findings(_ judgement: Judgement, _ timeline: Timeline) -> Findings? {
    let path = path(judgement)
    guard timeline.count >= eventsMin, access(path, F_OK) == 0,
      let key = key(judgement, timeline)
    else { return nil }
    guard
      let kept = SmallFile.bytesIfReadable(path, bytesMax: Self.bytesMax).flatMap(Kept.init)
    else {
      drop(path, "are damaged")
      return nil
    }
    guard kept.key == key else {
      drop(path, "are of another recording, program or configuration")
      return nil
    }
    guard let json = try? JSON(parsing: kept.body, bytesMax: Self.bytesMax),
      let found = Findings(json, judgement.table.infos, streams: timeline.streams.count)
    else {
      drop(path, "are damaged")
      return nil
    }
    return found
  }

  private func drop(_ path: String, _ why: String) {
    unlink(path)
    news = [
      "The verdicts kept in \(Printable.line(path)) \(why): they are dropped, and the rules run "
        + "again."
    ]
  }

  /// Keeps what the rules said; where that cannot be written, the next time takes as long again.
  package func keep(_ found: Findings, _ judgement: Judgement, _ timeline: Timeline) {
    guard timeline.count >= eventsMin, timeline.damage.isEmpty,
      let key = key(judgement, timeline), let json = found.json(judgement.table.infos)
    else { return }
    let body = json.text
    let path = path(judgement)
    Paths.makeFolders(above: path)
    makeRoom()
    _ = WholeFile.write(
      "\(Self.heading)\n\(key)\n\(Self.checksum(Array(body.utf8)))\n\(body)",
      to: path,
      replaces: true
    )
  }

  /// What it has to say, once.
  func takeNews() -> [String] {
    defer { news = [] }
    return news
  }

  // MARK: - The file

  /// A file whose checksum is right.
  private struct Kept {
    let key: String
    let body: ArraySlice<UInt8>

    init?(_ bytes: [UInt8]) {
      let lines = bytes.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
      guard lines.count == 4, lines[0].elementsEqual(heading.utf8),
        lines[2].elementsEqual(checksum(Array(lines[3])).utf8)
      else { return nil }
      (key, body) = (String(decoding: lines[1], as: UTF8.self), lines[3])
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> String {
    let sum = bytes.withUnsafeBufferPointer { cplatform_crc32c(0, $0.baseAddress, $0.count) }
    return String(sum, radix: 16)
  }

  /// By the path of the recording and the judgement, so that two of them have a file each.
  private func path(_ judgement: Judgement) -> String {
    let place = realpath(recording, nil)
    defer { free(place) }
    let name = place.map { String(cString: $0) } ?? recording
    let parts = [name, words(judgement)].map { Self.checksum(Array($0.utf8)) }
    return "\(folder)/\(parts[0])-\(parts[1])"
  }

  /// Everything that the findings follow from, in one line; nil where the recording cannot be read.
  private func key(_ judgement: Judgement, _ timeline: Timeline) -> String? {
    guard let file = Self.identity(recording), let program = Self.identity("/proc/self/exe"),
      let end = endOfRecording()
    else { return nil }
    return "file \(file) end \(end) events \(timeline.count) program \(program) judged "
      + words(judgement)
  }

  /// The profile with its limits, and the rules as they are asked, in one line.
  private func words(_ judgement: Judgement) -> String {
    let rules = judgement.table.infos.map(\.id).filter(judgement.rules.contains)
    let profile = judgement.profile.map { "\($0)" } ?? ""
    let all = Array("\(profile)\0\(rules)\0".utf8) + configuration
    return "\(judgement.profile?.name ?? "-") \(rules.count) \(Self.checksum(all))"
  }

  private static func identity(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let (written, changed) = (status.st_mtim, status.st_ctim)
    return "\(status.st_dev):\(status.st_ino):\(status.st_size)"
      + ":\(written.tv_sec).\(written.tv_nsec):\(changed.tv_sec).\(changed.tv_nsec)"
  }

  private func endOfRecording() -> String? {
    let descriptor = open(recording, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let count = min(Self.endBytes, Int(status.st_size))
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(descriptor, &bytes, count, status.st_size - count) == count else { return nil }
    return Self.checksum(bytes)
  }

  /// Lets the oldest files go where there are too many.
  private func makeRoom() {
    var files: [(written: Int, path: String)] = []
    for name in namesInDirectory(folder) {
      var status = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((status.st_mtim.tv_sec, path))
    }
    files.sort { $0.written < $1.written }
    for file in files.dropLast(Self.filesMax - 1) { unlink(file.path) }
  }
}
