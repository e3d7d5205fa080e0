// SPDX-License-Identifier: Apache-2.0
import ConcurrentCore
import LifetraceApp

Application.main(
  configuration: .init(bundleIdentifier: "concurrent"),
  delegate: ConcurrentDelegate(arguments: CommandLine.arguments)
)
