// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDeviceLog
import LifetraceInterop
import Testing

/// What is no log says what it is, and what would become one.
@Suite struct LogForeignTests {
  private func message(_ bytes: [UInt8], name: String = "it.log") -> String {
    do {
      _ = try LogImport(bytes: bytes, name: name)
      return "imported"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      (
        [0x1F, 0x8B, 8, 0], "it.log", "packed by gzip",
        "gzip -dc it.log | lifetrace import console -"
      ),
      ([0x1F, 0x8B, 8, 0], "sysdiagnose_2026.tar.gz", "an archive", "system_logs.logarchive"),
      ([0x28, 0xB5, 0x2F, 0xFD, 1], "it.log", "packed by zstd", "zstd -dc"),
      ([0x42, 0x5A, 0x68, 0x39], "it.log", "packed by bzip2", "bzip2 -dc"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "it.log", "packed by xz", "xz -dc"),
      ([0x50, 0x4B, 3, 4, 1], "it.zip", "a zip archive", "unzip -p"),
      (
        [0x00, 0x10, 0, 0, 0x11, 0, 0, 0, 0xD0, 0], "0001.tracev3", "a tracev3 file",
        "log show --archive"
      ),
      ([0xFF, 0xFE, 0x64, 0, 0x65, 0], "it.log", "UTF-16", "iconv -f UTF-16"),
      ([0x64, 0, 0x65, 0, 0x66, 0, 0x61, 0, 0x75, 0], "it.log", "UTF-16", "iconv -f UTF-16LE"),
      (Array("bplist00xyz".utf8), "it.plist", "a binary property list", "Name the log"),
      (Array("<?xml version=\"1.0\"?>\n".utf8), "it.plist", "XML", "Name the log"),
      (Array("SQLite format 3\0".utf8), "it.db", "an SQLite database", "Name the log"),
      (
        Array("{\"app_name\":\"Notes\",\"bug_type\":\"309\",\"os_version\":\"x\"}\n{}\n".utf8),
        "Notes.ips", "a crash report (.ips)", "import auto Notes.ips"
      ),
      (
        Array("{\"bug_type\":\"298\",\"os_version\":\"x\"}\n{}\n".utf8),
        "JetsamEvent.ips", "a report of low memory (.ips)", "import auto JetsamEvent.ips"
      ),
      (
        Array("Incident Identifier: 1\nProcess: Notes [5]\n".utf8), "Notes.crash",
        "a crash report", "import auto Notes.crash"
      ),
      (
        Array("[{\"eventMessage\":\"x\"}]".utf8), "it.json", "an array of JSON on one line", "jq -c"
      ),
    ] as [([UInt8], String, String, String)]
  )
  func saysWhatItIs(bytes: [UInt8], name: String, what: String, advice: String) {
    let message = message(bytes, name: name)
    #expect(message.hasPrefix("\(name): is \(what)"), "\(message)")
    #expect(message.contains(advice), "\(message)")
  }

  @Test func aCrashReportWithWordsBefore() {
    let text = "# from a friend\nIncident Identifier: 1\nHardware Model:      iPad6,11\n"
    #expect(message(Array(text.utf8)).hasPrefix("it.log: is a crash report"))
    // A log that quotes one is a log.
    let line =
      "default\t10:00:00.0+0000\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1; x\n"
    #expect(message(Array((line + text).utf8)) == "imported")
  }

  @Test func aTarArchive() {
    var bytes = [UInt8](repeating: 0x61, count: 300)
    bytes.replaceSubrange(257..<262, with: Array("ustar".utf8))
    #expect(message(bytes).hasPrefix("it.log: is a tar archive"))
  }

  @Test func otherBytesAndOtherText() {
    #expect(message([1, 2, 3, 0xFF, 0xFE, 9]).contains("Found: bytes that are no text"))
    let text = message(Array("A letter\nto a friend\n".utf8))
    #expect(text.contains("is this a Console export?"))
    #expect(text.contains("Found: A letter"))
  }

  @Test(arguments: [
    ("system_logs.logarchive", "is a log archive", "log show --archive"),
    ("sysdiagnose_2026", "is a folder", "system_logs.logarchive"),
    ("somewhere", "is a folder", "Name the log in it."),
  ])
  func aFolder(name: String, what: String, advice: String) {
    var template = Array("/tmp/lifetrace-foreign-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      Issue.record("no folder")
      return
    }
    let parent = String(cString: made)
    let path = "\(parent)/\(name)"
    mkdir(path, 0o700)
    defer {
      rmdir(path)
      rmdir(parent)
    }
    do {
      _ = try LogImport(path: path)
      Issue.record("imported a folder")
    } catch {
      #expect("\(error)".contains("\(name): \(what)"), "\(error)")
      #expect("\(error)".contains(advice), "\(error)")
    }
  }
}
