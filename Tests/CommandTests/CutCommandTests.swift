// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

/// `lifetrace cut`, in the shell and at the prompt.
@Suite(.waits) struct CutCommandTests {
  private static let story = Golden.root + "/Traces/tour/recording.txt"

  @Test("A part opens alone, is whole by verify, keeps its names and says the same")
  func part() throws {
    let folder = try TestFolder()
    let run = shell(
      """
      lifetrace import story \(Self.story) -o run.lifetrace
      lifetrace cut run.lifetrace --violation 1 -o one.lifetrace; echo "cut $?"
      lifetrace verify one.lifetrace; echo "verify $?"
      lifetrace replay one.lifetrace --batch -e "why" | head -3
      lifetrace cut run.lifetrace --from notes#1:12 --to 3.6s -o span.lifetrace; echo "cut $?"
      lifetrace dump span.lifetrace | grep -c notes#1.main
      lifetrace replay run.lifetrace -q --batch -e "cut notes#1:12 notes#1:20 -o prompt.lifetrace"
      cmp span.lifetrace prompt.lifetrace && echo same
      """,
      in: folder
    )
    #expect(run.output.contains("cut 0") && run.output.contains("verify 0"), "\(run.output)")
    #expect(run.output.contains("DS01"), "\(run.output)")
    #expect(run.output.contains("of 30 events, #"), "\(run.output)")
    #expect(run.output.contains("to look at it: lifetrace replay one.lifetrace"), "\(run.output)")
    #expect(run.status == 0 && run.output.hasSuffix("same\n"), "\(run.output)")
  }

  @Test("A life without those before it is called as the part has it, which is said")
  func laterLife() throws {
    let folder = try TestFolder()
    let run = shell("lifetrace cut \(Self.story) --from notes#2:0 -o late.lifetrace", in: folder)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("notes#2 is notes#1 in it"), "\(run.output)")
  }

  @Test("Wrong words and files that are there are refused with what would do")
  func refusals() throws {
    let folder = try TestFolder()
    for (words, status, answer) in [
      ("-o a.lifetrace", 64, "cut takes a span"),
      ("--violation 1 --from 1s -o a.lifetrace", 64, "cut takes a span"),
      ("--violation 99 -o a.lifetrace", 64, "there is no violation 99"),
      ("--from nowhere -o a.lifetrace", 64, "is not a time"),
      ("--from notes#1:99 -o a.lifetrace", 64, "there is no event notes#1:99"),
      ("--from 5s --to 4s -o a.lifetrace", 64, "no event lies from 5s to 4s"),
      ("--from 1s -o there", 74, "exists"),
    ] {
      let run = shell("touch there; lifetrace cut \(Self.story) \(words)", in: folder)
      #expect(run.output.contains(answer), "\(words): \(run.output)")
      #expect(run.status == status, "\(words): \(run.status) \(run.output)")
    }
    #expect(folder.names == ["there"])
    let forced = shell("lifetrace cut \(Self.story) --from 1s -f -o there", in: folder)
    #expect(forced.status == 0, "\(forced.output)")
  }
}
