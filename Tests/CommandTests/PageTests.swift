// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceReports
import LifetraceRules
import LifetraceScenario
import Support
import Testing

/// The pages that are made from tables are what the tables say; `Scripts/bless.sh` writes them.
@Suite struct PageTests {
  @Test func thePageOfTheRulesIsTheirTable() {
    #expect(Golden.difference(RuleTable.markdown, "Sources/Rules/RULES.md") == nil)
    // Each rule stands in a family of the page.
    for info in RuleTable.infos {
      #expect(RuleTable.markdown.contains("\n### \(info.id)\n"), "\(info.id)")
    }
  }

  @Test func thePageOfTheStepsIsTheirTable() {
    #expect(Golden.difference(Scenario.markdown, "Sources/Scenario/STEPS.md") == nil)
  }

  @Test func thePageOfTheConfigurationIsItsTable() {
    #expect(Golden.difference(Configuration.markdown, "Sources/Scenario/CONFIGURATION.md") == nil)
  }

  /// Whatever a page links, or names as a path of the repository, is there.
  @Test(
    arguments: [
      "README.md", "CONTRIBUTING.md", "Sources/ARCHITECTURE.md", "Sources/LifetraceApp/APP-CORE.md",
      "Sources/DebugAdapter/DAP.md", "Sources/Doctor/SURROUNDINGS.md", "Sources/Explore/EXPLORE.md",
      "Sources/Export/EXPORT.md",
      "Sources/LifetraceTracing/README.md", "Sources/LifetraceCommand/CI.md",
      "Sources/LifetraceCommand/EXIT-CODES.md",
      "Sources/Page/REPORT.md", "Sources/Query/QUERY.md", "Sources/Recorder/EVIDENCE.md",
      "Sources/Scenario/PLAYING.md", "Sources/Scenario/PROTOCOL.md", "Sources/TraceFile/FORMAT.md",
      "Sources/Transport/TRANSPORT.md",
    ]
  )
  func whatAPageNamesIsThere(_ page: String) throws {
    let text = try #require(Golden.text(page), "\(page)")
    let folder = page.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    let links = text.matches(of: /\]\(([^)#]+)\)/).map { folder + $0.1 }
    let paths = text.matches(of: /`((?:Sources|Tests|Traces|Scripts)\/[A-Za-z0-9\/._+-]+)`/).map {
      String($0.1)
    }
    let all = links.filter { !$0.contains("://") } + paths
    if page == "README.md" { #expect(all.count > 15) }
    for path in all {
      #expect(access("\(Golden.root)/\(path)", F_OK) == 0, "\(page) names \(path)")
    }
  }

  /// What an app says of its data, and of the system's changes, is found where users look.
  @Test func thePageOfAnAppCoreNamesWhatAnAppSays() throws {
    let page = try #require(Golden.text("Sources/LifetraceApp/APP-CORE.md"))
    func functions(of file: String) throws -> [String] {
      let text = try #require(Golden.text("Sources/\(file)"))
      return text.matches(of: /public func (\w+)/).map { String($0.1) }
    }
    for name in try functions(of: "Lifetrace/Kinds/Object.swift") where name != "hash" {
      #expect(page.contains(".\(name)("), "\(name) of an object")
    }
    for name in try functions(of: "Lifetrace/Kinds/Resource.swift") {
      #expect(page.contains(".\(name)("), "\(name) of a resource")
    }
    for name in [
      "application.notificationCenter.addObserver(", "NSCurrentLocaleDidChange", ".cache",
    ] {
      #expect(page.contains(name), "\(name)")
    }
  }

  /// Whatever the way of an event names behind a file is declared there.
  @Test func whatTheWayOfAnEventNamesIsDeclaredThere() throws {
    let text = try #require(Golden.text("Sources/ARCHITECTURE.md"))
    let rows = text.split(separator: "\n").filter { $0.starts(with: /\| \d+ \|/) }
    #expect(rows.count > 11)
    var named = 0
    for row in rows {
      var file = ""
      for name in row.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
        if name.hasPrefix("Sources/") {
          file = name.hasSuffix("/Catalogue") ? "" : try #require(Golden.text(name), "\(name)")
        } else if !file.isEmpty, let function = name.split(separator: ".").last {
          let isThere =
            file.contains("func \(function)") || file.contains(" \(function)(")
            || file.contains("protocol \(function)")
          #expect(isThere || name == "ChunkSink", "\(name) in \(row)")
          named += 1
        }
      }
    }
    #expect(named > 25)
  }

  /// The first page is read by people who have no time.
  @Test func theFirstPageIsShort() throws {
    let lines = try #require(Golden.text("README.md")).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    #expect(lines.count <= 141)
  }
}
