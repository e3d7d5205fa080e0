// SPDX-License-Identifier: Apache-2.0
import CorrectApps
import Glibc
import LifetraceApp

// A correct app as a process: `CorrectApp NAME DIRECTORY`. The mail app starts its helper by the word
// `mail-helper`.
let words = CommandLine.arguments
if words.dropFirst().first == "mail-helper" { MailHelper.serve() }
guard words.count == 3, let app = CorrectApp(rawValue: words[1]) else {
  let text = Array("CorrectApp takes the name of an app and its directory\n".utf8)
  _ = write(STDERR_FILENO, text, text.count)
  exit(64)
}

Application.main(
  configuration: app.configuration,
  delegate: app.delegate(in: Home(directory: words[2], program: words[0]))
)
