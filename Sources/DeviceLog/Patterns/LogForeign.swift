// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What people hand to an import besides logs in text, and how each becomes one.
///
///     lifetrace: sysdiagnose.tar.gz: is a sysdiagnose archive, not a log in text.
///       Unpack it; its log is in system_logs.logarchive: …
struct LogForeign {
  var what: String
  var advice: String

  /// For a log archive, which only Apple's own tool reads.
  private static let show =
    "On a Mac: log show --archive NAME.logarchive --style ndjson > log.ndjson"

  /// What `bytes`, the beginning of the file at `path`, are; nil for text that may be a log.
  init?(_ bytes: LogText, path: String) {
    let name = LogImportError.name(path)
    guard let found = Self.packed(bytes, name) ?? Self.binary(bytes) ?? Self.report(bytes) else {
      return nil
    }
    what = found.0
    advice = found.1.replacing("FILE", with: path == "-" ? "FILE" : name)
  }

  /// What a text is in which no line is a log's, and which begins with `bytes`; nil for any other.
  init?(unread bytes: LogText, path: String) {
    guard let found = LogTextForm(bytes.prefix(4_096)) else { return nil }
    what = found.what
    advice = found.advice.replacing("FILE", with: path == "-" ? "FILE" : LogImportError.name(path))
  }

  /// For reports that import console does not read.
  static let auto = "lifetrace import auto FILE -o OUTPUT reads it."

  /// What a folder at `path` is.
  init(folder path: String) {
    var name = path[...]
    while name.last == "/" { name.removeLast() }
    if name.hasSuffix(".logarchive") {
      what = "a log archive"
      advice = Self.show.replacing("NAME.logarchive", with: String(name))
    } else if name.contains("sysdiagnose") {
      what = "a folder"
      advice = "The log of a sysdiagnose is in its system_logs.logarchive. \(Self.show)"
    } else {
      what = "a folder"
      advice = "Name the log in it."
    }
  }

  private static func packed(_ bytes: LogText, _ name: String) -> (String, String)? {
    func unpack(_ what: String, _ tool: String) -> (String, String) {
      name.contains("sysdiagnose") || name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz")
        ? (
          "an archive",
          "Unpack it: tar xf \(name). The log of a sysdiagnose is in its system_logs.logarchive. "
            + show
        )
        : (what, "Unpack it: \(tool) \(name) | lifetrace import console - -o OUTPUT")
    }
    if bytes.starts([0x1F, 0x8B]) { return unpack("packed by gzip", "gzip -dc") }
    if bytes.starts([0x42, 0x5A, 0x68]) { return unpack("packed by bzip2", "bzip2 -dc") }
    if bytes.starts([0xFD, 0x37, 0x7A, 0x58, 0x5A]) { return unpack("packed by xz", "xz -dc") }
    if bytes.starts([0x28, 0xB5, 0x2F, 0xFD]) { return unpack("packed by zstd", "zstd -dc") }
    if bytes.starts([0x50, 0x4B, 0x03, 0x04]) { return unpack("a zip archive", "unzip -p") }
    if bytes.count > 262, bytes.dropFirst(257).starts("ustar") {
      return unpack("a tar archive", "tar xOf")
    }
    return nil
  }

  private static func binary(_ bytes: LogText) -> (String, String)? {
    if bytes.dropFirst(8).starts("LTRCHUNK") || bytes.dropFirst(8).starts("LTRINDEX") {
      return ("a lifetrace recording", "It needs no import: lifetrace info FILE")
    }
    // The header chunk of a tracev3 file: its tag, its version and its length.
    if bytes.starts([0x00, 0x10, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00]) {
      return ("a tracev3 file, a part of a log archive", show)
    }
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 0x01, bytes[0] >= 0xFE {
      return ("UTF-16", "Convert it: iconv -f UTF-16 -t UTF-8")
    }
    if bytes.count >= 8, bytes[0] > 0x1F, bytes[0] < 0x7F, bytes[1] == 0, bytes[3] == 0,
      bytes[5] == 0, bytes[7] == 0
    {
      return ("UTF-16 without a mark", "Convert it: iconv -f UTF-16LE -t UTF-8")
    }
    if bytes.starts("bplist00") {
      return ("a binary property list", "Name the log itself.")
    }
    if bytes.starts("SQLite format 3") {
      return ("an SQLite database", "Name the log itself.")
    }
    return nil
  }

  /// Reports of one moment are text, too.
  private static func report(_ bytes: LogText) -> (String, String)? {
    let head = bytes.prefix(4_096)
    if head.starts("{"), let type = head.jsonString("\"bug_type\""),
      head.find("\"incident_id\"") != nil || head.find("\"os_version\"") != nil
    {
      return reportNamed(type.string(limit: 8))
    }
    if head.starts("Incident Identifier:") { return ("a crash report", auto) }
    if head.starts("<?xml") || head.starts("<!DOCTYPE") {
      return ("XML", "Name the log itself.")
    }
    if head.starts("[{\""), head.find(byte: 0x0A) == nil {
      return (
        "an array of JSON on one line",
        "Give each entry a line: jq -c '.[]' FILE | lifetrace import console - -o OUTPUT"
      )
    }
    return nil
  }
}

extension LogForeign {
  /// What the reports with that `bug_type` are: most of them end no process.
  static func reportNamed(_ type: String) -> (String, String) {
    let ended = "It ends no process. Import the device's log of that time."
    switch type {
    case "298": return ("a report of low memory (.ips)", auto)
    case "309", "109", "308", "327", "385": return ("a crash report (.ips)", auto)
    case "145": return ("a report of disk writes (.ips)", ended)
    case "202", "206": return ("a report of CPU use (.ips)", ended)
    case "211": return ("a record of analytics (.ips)", ended)
    case "288": return ("a stackshot (.ips)", ended)
    case "210": return ("a report of a kernel panic (.ips)", ended)
    default: return ("a report of type \(type) (.ips)", ended)
    }
  }
}

extension LogText {
  fileprivate func starts(_ bytes: [UInt8]) -> Bool {
    count >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
  }
}
