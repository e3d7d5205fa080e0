// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceReports
import Support
import Testing

/// The search for the files that the places of a recording mean.
@Suite struct SourceIndexTests {
  @Test func whatIsNearIsFoundBeforeWhatIsDeep() throws {
    let folder = try TestFolder()
    // Either may be listed first; what lies deep in it must not use up what may be looked at.
    for side in ["one", "two"] {
      var path = side
      for level in 0..<4 {
        #expect(mkdir(folder.file(path), 0o700) == 0)
        if level == 0 { try folder.write("", to: "\(path)/\(side).swift") }
        for number in 0..<30 { try folder.write("", to: "\(path)/\(level)-\(number).txt") }
        path += "/deeper"
      }
    }
    // With `.` and `..`: 4 entries, and 34 of each side.
    let found = SourceIndex.files(below: folder.path, entriesMax: 80)
    #expect(found["one.swift"] == [folder.file("one/one.swift")])
    #expect(found["two.swift"] == [folder.file("two/two.swift")])
    #expect(found["3-0.txt"] == nil)
    #expect(SourceIndex.files(below: folder.path)["3-0.txt"]?.count == 2)
  }
}
