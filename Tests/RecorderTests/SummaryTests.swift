// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LifetraceRecorder

/// The last line of a recording tells no part for the whole.
@Suite struct SummaryTests {
  @Test func moreObjectsThanAreFollowedAreAtLeastThatMany() throws {
    var summary = RecordingSummary()
    (summary.unsavedObjects, summary.unsavedBytes) = (32_768, 2_048)
    (summary.openObjects, summary.openBytes) = (32_768, 4_096)
    #expect(summary.lines(path: "a")[0].contains("unsaved data lost: 32,768 objects, 2,048 bytes"))
    summary.hasMoreObjects = true
    let line = try #require(summary.lines(path: "a").last)
    #expect(line.contains("unsaved data lost: at least 32,768 objects, 2,048 bytes"), "\(line)")
    #expect(
      line.contains("unsaved when the recording ended: at least 32,768 objects, 4,096 bytes"),
      "\(line)"
    )
  }
}
