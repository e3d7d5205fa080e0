// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `record --check` while the command runs: told at once, by a process that the recording does not need.
@Suite(.waits) struct LiveCheckTests {
  private func run(_ line: String, _ folder: TestFolder) -> (status: Int32, output: String) {
    shell(line, in: folder)
  }

  /// Waits until a line stands in a file, for at most 20 s.
  private static let untilSaid = """
    until_said() { n=0; until grep -qs "$1" "$2"; do sleep 0.05; n=$((n+1)); [ $n -lt 400 ] || exit 97; done; }
    """

  @Test func aViolationIsToldWhileTheCommandRuns() throws {
    let folder = try TestFolder()
    let result = run(
      """
      \(Self.untilSaid)
      "$lt" record --check -o t -- sh -c '$0 unsaved; until_there() { while [ ! -e "$1" ]; do sleep 0.02; done; }; until_there told; echo over' \
        $emitter > said 2>&1 & front=$!
      until_said 'lifetrace: DS02 error  Emitter#1:2  draft.txt lost version 1' said
      grep -c over said; touch told; wait $front; echo code $?; cat said
      """,
      folder
    )
    // Not over yet when it was told; at the end it is told whole, and once.
    #expect(result.output.hasPrefix("0\ncode 1\n"), "\(result.output)")
    #expect(result.output.matches(of: /lifetrace: DS02 error/).count == 1, "\(result.output)")
    #expect(result.output.contains("DS02 error  Emitter#1  +"), "\(result.output)")
  }

  @Test func theDeathOfTheJudgeLeavesTheRecordingWhole() throws {
    let folder = try TestFolder()
    let result = run(
      """
      "$lt" record --check -o t -- sh -c '$0 numbers 500; while [ ! -e killed ]; do sleep 0.02; done; $0 unsaved' \
        $emitter > said 2>&1 & front=$!
      judge() { for child in $(cat /proc/$front/task/$front/children); do
        [ "$(cat /proc/$child/comm)" = lifetrace-judge ] && echo $child; done; }
      n=0; until [ -s t ] && [ -n "$(judge)" ]; do sleep 0.05; n=$((n+1)); [ $n -lt 400 ] || exit 97; done
      kill -9 $(judge); touch killed; wait $front; echo code $?
      lifetrace verify t; echo sound $?; cat said
      """,
      folder
    )
    #expect(result.output.hasPrefix("code 1\n"), "\(result.output)")
    #expect(result.output.contains("\nsound 0\n"), "\(result.output)")
    #expect(result.output.contains(", none lost, "), "\(result.output)")
    #expect(result.output.contains("DS02 error  Emitter#2"), "\(result.output)")
  }

  @Test func theCommandIsEndedAtTheFirstError() throws {
    let folder = try TestFolder()
    let line =
      "lifetrace record --check --stop-on error -o t -- sh -c '$0 unsaved; exec sleep 100' $emitter"
    let result = run(line, folder)
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("lifetrace: the command is ended (--stop-on error)"))
    #expect(run("lifetrace verify t", folder).status == 0)
    // A warning is not enough, and without a judge nothing can stop it.
    let kept = "lifetrace record -f --check --stop-on error -o t -- $emitter numbers 5"
    #expect(run(kept, folder).status == 0)
    #expect(run("lifetrace record -f --stop-on error -o t -- true", folder).status == 64)
  }

  @Test func whatOnlyTheEndDecidesIsNotToldBefore() throws {
    let folder = try TestFolder()
    try folder.write(
      "app: notes\nsteps:\n- launch\n- tell: {edit: diary}\n- wait: 1s\n- home\n- wait: 1s\n",
      to: "life.yml"
    )
    let fixed = run(
      "lifetrace record --check -o t --scenario life.yml -- $notes --directory . --fixed",
      folder
    )
    #expect(fixed.status == 0, "\(fixed.output)")
    #expect(!fixed.output.contains(" error  notes#1:"), "\(fixed.output)")
  }
}
