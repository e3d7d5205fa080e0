// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifecycle
import Rules
import Support
import Testing
import Trace
import TraceFile

@testable import Interop

/// Stories as files: what is checked from the text and from the trace must be the same.
@Suite struct StoryFileTests {
  @Test(arguments: Golden.stories(with: "story.txt"))
  func aStoryAndItsTraceAreJudgedAlike(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let path = "/tmp/lifetrace-story-\(getpid())-\(folder.dropFirst(7)).lifetrace"
    defer { unlink(path) }
    let file = try TraceWriter(path: path, options: .create)
    try story.write(to: file)
    let reader = try TraceReader(path: path)
    var check = TraceCheck([reader])
    let text = check.run(Checker())[0].text(file: "trace.lifetrace")
    #expect(check.hasUnreadable == [false])
    #expect(reader.problems.allSatisfy { $0.kind == .gap })
    #expect(text == Golden.text("\(folder)/check.txt"))
  }
}
