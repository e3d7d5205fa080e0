// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import LifetraceLifecycle
import Testing

@testable import LifetraceExplore

/// Which file is whose, as far as it can be told.
@Suite struct FilesOfObjectsTests {
  private func content(_ text: String) -> DataObject.Content {
    let bytes = Array(text.utf8)
    let hash = bytes.withUnsafeBytes { lt_hash($0.baseAddress, $0.count) }
    return DataObject.Content(bytes: UInt64(bytes.count), hash: hash)
  }

  /// The files as they were when each of these contents of `object` was reported saved.
  private func files(
    of object: String,
    _ looks: [(claim: String, left: [String: String])]
  ) -> FilesOfObjects {
    var files = FilesOfObjects()
    for (number, look) in looks.enumerated() {
      let claim = Claim(
        object: object,
        version: UInt64(number + 1),
        content: content(look.claim),
        newer: []
      )
      let left = look.left.mapValues {
        FilesOfObjects.Facts(bytes: content($0).bytes, hash: content($0).hash)
      }
      files.learn([claim], from: left, ofApp: 0)
    }
    return files
  }

  @Test func theFileOfItsNameIsIts() {
    let files = files(
      of: "draft.txt",
      [("one", ["draft.txt": "one", "draft.txt.tmp": "one"]), ("two", ["draft.txt": "two"])]
    )
    #expect(files.file(of: "draft.txt", ofApp: 0) == "draft.txt")
  }

  @Test func ofOneThatWasMovedOrHasACopyOfItsNameNoneIsCertain() {
    let files = files(
      of: "draft.txt",
      [("one", ["draft.txt": "one"]), ("one", ["backup/draft.txt": "one", "draft.txt": "two"])]
    )
    #expect(files.file(of: "draft.txt", ofApp: 0) == nil)
  }

  @Test func ofOneThatIsSavedInTurnsNoneIsCertain() {
    let first = ["a.slot": "one"]
    let second = ["a.slot": "one", "b.slot": "two"]
    let third = ["a.slot": "three", "b.slot": "two"]
    let files = files(of: "doc", [("one", first), ("two", second), ("three", third)])
    #expect(files.file(of: "doc", ofApp: 0) == nil)
    let alone = self.files(of: "doc", [("one", first), ("three", third)])
    #expect(alone.file(of: "doc", ofApp: 0) == "a.slot")
  }
}
