// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

/// The command line: one file a subcommand, listed here in the order of a user's day.
@main
struct Lifetrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lifetrace",
    abstract: "Records the life cycle of your app's processes and walks it backward.",
    version: "0.1.0",
    subcommands: [
      RecordCommand.self,
      CheckCommand.self,
      TestCommand.self,
      RulesCommand.self,
      ReplayCommand.self,
      RerunCommand.self,
      ReportCommand.self,
      InfoCommand.self,
      ClocksCommand.self,
      DumpCommand.self,
      DiffCommand.self,
      VerifyCommand.self,
      RepairCommand.self,
      MergeCommand.self,
      CutCommand.self,
      ShipCommand.self,
      CollectCommand.self,
      SessionsCommand.self,
      ExtractCommand.self,
      ImportCommand.self,
      ExploreCommand.self,
      ExportCommand.self,
      ScenarioCommand.self,
      InitCommand.self,
      DemoCommand.self,
      DoctorCommand.self,
      NotesCommand.self,
    ]
  )
}
