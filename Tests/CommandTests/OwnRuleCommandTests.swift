// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Support
import TestThreads
import Testing

/// A project's own rules wherever the tool names, chooses or judges rules.
@Suite("Rules of a project", .waits) struct OwnRuleCommandTests {
  private func run(_ line: String, _ folder: TestFolder) -> (status: Int32, output: String) {
    shell(line, in: folder)
  }

  /// With the rules of the page, and a recording of a life that breaks one of them.
  private func project(_ life: String) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(OwnRulesPage.example, to: "lifetrace.yml")
    let text = try #require(Golden.text("Traces/own-rules/\(life).txt"))
    try folder.write(text, to: "life.txt")
    let result = run("lifetrace import story life.txt -o t", folder)
    #expect(result.status == 0, "\(result.output)")
    return folder
  }

  @Test("They are listed and explained")
  func listed() throws {
    let folder = try project("within-broken")
    let list = run("lifetrace rules", folder).output
    #expect(list.hasPrefix("DL01   error "), "\(list)")
    #expect(
      list.contains("\nAPP05  warning  data.flushing && object =~ `*.json` happens at most"),
      "\(list)"
    )
    let one = run("lifetrace rules app01", folder)
    #expect(one.status == 0 && one.output.contains("Source: lifetrace.yml:3."), "\(one.output)")
    #expect(one.output.contains("any spans where name == \"upload\""), "\(one.output)")
    #expect(run("lifetrace rules APP", folder).output.contains("APP05 warning"))
    #expect(run("cd / && lifetrace rules APP", folder).status == 64)
  }

  @Test("check judges by them: chosen, switched off, suppressed, known, and in other forms")
  func checked() throws {
    let folder = try project("within-broken")
    let all = run("lifetrace check t", folder)
    #expect(all.status == 1 && all.output.contains("APP01 error  notes#1"), "\(all.output)")
    #expect(run("lifetrace check --rules APP02,APP03 t", folder).status == 0)
    #expect(run("lifetrace check --rules=-APP01,DS t", folder).status == 0)
    let unknown = run("lifetrace check --rules APP09 t", folder)
    #expect(unknown.status == 64 && unknown.output.contains("APP01, APP02"), "\(unknown.output)")
    let sarif = run("lifetrace check --format sarif t", folder).output
    #expect(sarif.contains("\"id\": \"APP01\""), "\(sarif)")
    #expect(sarif.contains("Source: lifetrace.yml:3."), "\(sarif)")
    #expect(run("lifetrace check --write-baseline known t", folder).status == 0)
    #expect(run("lifetrace check --baseline known t", folder).status == 0)
    let more = [
      "off: {APP01: not yet}\n",
      "suppress:\n- {rule: APP01, object: upload, reason: a slow server}\n",
    ]
    for text in more {
      try folder.write(OwnRulesPage.example + text, to: "lifetrace.yml")
      let result = run("lifetrace check t", folder)
      #expect(result.status == 0, "\(text): \(result.output)")
    }
  }

  @Test("The prompt stops at their violations, and explains them")
  func replayed() throws {
    let folder = try project("pair-broken")
    let script = "-e 'help APP03' -e 'violations APP03' -e 'next violation' -e why"
    let said = run("lifetrace replay --batch t \(script)", folder).output
    #expect(said.contains("Source: lifetrace.yml:21."), "\(said)")
    #expect(said.contains("group/library.lock (resource.acquire) was not followed"), "\(said)")
  }

  @Test("What is misspelt is said, in the rule and in the file")
  func misspelt() throws {
    let folder = try project("misspelt")
    let result = run("lifetrace check t", folder)
    #expect(result.output.contains("a name near it is `uplod`"), "\(result.output)")
    let wrong = OwnRulesPage.example.replacing("limit: 20s", with: "limt: 20s")
    try folder.write(wrong, to: "lifetrace.yml")
    let refused = run("lifetrace check t", folder)
    #expect(refused.status == 78, "\(refused.output)")
    #expect(refused.output.contains("lifetrace.yml:9:7: "), "\(refused.output)")
    #expect(refused.output.contains("did you mean `limit`?"), "\(refused.output)")
  }

  @Test("A recording is judged by them while it grows, and a scenario expects them")
  func recorded() throws {
    let folder = try TestFolder()
    try folder.write(
      "rules:\n  OWN01: {at-most: {event: data.dirty && object =~ `draft*`, count: 1, per: process}}\n",
      to: "lifetrace.yml"
    )
    func play(_ expected: String) throws -> (status: Int32, output: String) {
      let edits = "- tell: {edit: a}\n- wait: 600ms\n- tell: {edit: b}\n- wait: 600ms\n"
      try folder.write(
        "app: notes\nsteps:\n- launch\n\(edits)- expect: violation \(expected)\n",
        to: "life.yml"
      )
      return run(
        "lifetrace record -f --check -o t --scenario life.yml -- $notes --directory . 2>&1",
        folder
      )
    }
    let result = try play("OWN01")
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("OWN01 error  notes#1"), "\(result.output)")
    #expect(!result.output.contains("expected a violation"), "\(result.output)")
    let unknown = try play("OWN02")
    #expect(unknown.status == 64, "\(unknown.output)")
    #expect(unknown.output.contains("there is no rule `OWN02`"), "\(unknown.output)")
    #expect(unknown.output.contains("the rules of lifetrace.yml are OWN01"), "\(unknown.output)")
  }

  @Test("A test fails by them")
  func tested() throws {
    let folder = try TestFolder()
    try folder.write(
      "rules:\n  OWN01: {never: work.begin && name == \"number\"}\n",
      to: "lifetrace.yml"
    )
    let result = run("lifetrace test -- $emitter numbers 3", folder)
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("OWN01 error"), "\(result.output)")
    let clean = run("rm lifetrace.yml; lifetrace test -- $emitter numbers 3", folder)
    #expect(clean.status == 0, "\(clean.output)")
  }
}
