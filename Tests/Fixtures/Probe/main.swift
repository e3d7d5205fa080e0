// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceApp
import ProbeCore

// The probe as a process, with the misbehaviour that needs one: `Probe [scenes|exits]`.
let app = CommandLine.arguments.dropFirst().first.flatMap(ProbeApp.init) ?? .probe

Application.main(
  configuration: app.configuration,
  delegate: app.delegate { word, value in
    switch word {
    case "exit": exit(Int32(value) ?? 0)
    case "abort": abort()
    case "stop": kill(getpid(), SIGSTOP)
    case "ignore-term": signal(SIGTERM, SIG_IGN)
    case "garbage": Misbehaviour.write(String(repeating: "not json\n", count: 100))
    case "flood": Misbehaviour.write(String(repeating: "x", count: Int(value) ?? 1 << 20))
    case "flood-lines":
      Misbehaviour.write(
        String(repeating: "{\"op\":\"said\",\"text\":\"x\"}\n", count: Int(value) ?? 1)
      )
    case "fork": Misbehaviour.fork()
    case "print": print(value)
    case "say": print(value, terminator: "")
    case "trap": Misbehaviour.trap()
    case "spin": Misbehaviour.spin()
    case "wait": Misbehaviour.wait()
    default: break
    }
  }
)
