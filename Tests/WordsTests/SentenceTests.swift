// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords
import Testing

struct SentenceTests {
  private let edit = EventName(writer: "notes#1", sequence: 17)
  private let stream = StreamID(rawValue: 3)

  @Test func everyPartHasItsText() {
    let place = SourcePlace(file: "Notes/Editor.swift", line: 41)
    let sentence: Sentence =
      "\(object: "draft.txt") lost version \(3) (\(bytes: 1_204)) made at \(place) by "
      + "\(name: "didEnterBackground") (\(event: edit, of: stream)), "
      + "\(count: 2, of: "process") and \(duration: 4_200_000_000) ago"
    #expect(
      "\(sentence)" == "draft.txt lost version 3 (1,204 bytes) made at Notes/Editor.swift:41 by "
        + "didEnterBackground (notes#1:17), 2 processes and 4.2 s ago"
    )
    #expect("\(SourcePlace(file: "Editor.swift", line: 0))" == "Editor.swift")
  }

  @Test func aLengthSaysHowFarItCanBeTrusted() {
    #expect("\(["\(duration: 20_000_000, error: 1_000_000)"] as [Sentence])" == "[20 ms ± 1 ms]")
    #expect("it took \(duration: 5_000)" as Sentence == "it took \(duration: 5_000, error: 0)")
  }

  @Test func aCapitalButForNames() {
    #expect("\(("the save failed" as Sentence).capitalised)" == "The save failed")
    #expect("\(("\(object: "a.txt") failed" as Sentence).capitalised)" == "a.txt failed")
    #expect("\(("\(name: "willTerminate") ran" as Sentence).capitalised)" == "willTerminate ran")
    #expect("\(("\(count: 2, of: "event") late" as Sentence).capitalised)" == "2 events late")
    #expect("\(("" as Sentence).capitalised)" == "")
  }

  @Test func theSubjectIsTheNameInFront() {
    #expect(("\(object: "a.txt") failed" as Sentence).subject == "a.txt")
    #expect(("\(name: "sync") failed" as Sentence).subject == "sync")
    #expect(("the save of \(object: "a.txt") failed" as Sentence).subject == nil)
  }

  @Test func howItWasPutTogetherDoesNotMatter() {
    let inner: Sentence = "of \(object: "a.txt")"
    let whole: Sentence = "the save of \(object: "a.txt") failed, twice"
    #expect("the save \(inner) failed, \("twice")" == whole)
    #expect(["the save", inner].joined(separator: " ") + " failed, twice" == whole)
    #expect(whole.parts == [.text("the save of "), .object("a.txt"), .text(" failed, twice")])
  }
}
