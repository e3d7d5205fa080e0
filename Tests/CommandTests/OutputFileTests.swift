// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// The file that `record` is to write: what stands there before, and what is done to it meanwhile.
@Suite(.waits) struct OutputFileTests {
  @Test(arguments: [
    ("rm t", Int32(3), "t", "written again"),
    // The copy is empty by then, and an empty file is nobody's copy.
    ("cp t u; mv u t", 125, "t.saved-*", "left as it is"),
    ("mv t u", 125, "u", "was moved while recording"),
    ("rm t; echo precious > t", 125, "t.saved-*", "left as it is"),
  ])
  func whoeverTouchesTheFileTheRecordingIsWhole(
    line: String,
    code: Int32,
    place: String,
    said: String
  ) throws {
    let folder = try TestFolder()
    let result = shell(
      "lifetrace record -o t -- sh -c '\(line); '$emitter' numbers 100; exit 3'",
      in: folder
    )
    #expect(result.status == code, "\(result.output)")
    #expect(result.output.contains(said) && result.output.contains("none lost"))
    #expect(shell("lifetrace verify \(place)", in: folder).status == 0)
    #expect(shell("lifetrace info \(place)", in: folder).output.contains("102 events"))
    // No session is left for nothing.
    #expect(!folder.names.contains { $0.hasPrefix("lifetrace-") })
  }

  /// Who is not root may close a directory to itself: what is in it stays, what is not is saved.
  @Test(arguments: [
    ("chmod 000 d", "all of it was written, and it still has its name", "d/t"),
    ("mv d/t u; chmod 000 d", "the recording is ", "u"),
    ("rm d/t; chmod 000 d", "--recover", "r"),
  ])
  func aClosedDirectoryTakesNothing(line: String, said: String, place: String) throws {
    let folder = try TestFolder()
    let other = "setpriv --reuid 65534 --regid 65534 --clear-groups"
    let result = shell(
      """
      mkdir d; [ $(id -u) != 0 ] || { chown 65534 . d; as="\(other)"; }
      $as "$lt" record -o d/t -- sh -c '\(line); '$emitter' numbers 100'; echo rc $?
      chmod 755 d
      for s in lifetrace-*; do [ ! -d $s ] || $as "$lt" record --recover -o r $PWD/$s; done
      """,
      in: folder
    )
    #expect(result.output.contains("rc 125\n"), "\(result.output)")
    #expect(result.output.contains(said), "\(result.output)")
    #expect(result.output.contains("none lost"), "\(result.output)")
    #expect(shell("lifetrace verify \(place)", in: folder).status == 0)
    #expect(shell("lifetrace info \(place)", in: folder).output.contains("102 events"))
    #expect(!folder.names.contains { $0.hasPrefix("lifetrace-") })
  }

  /// Where no file can be made the session has the trace, and a recovery brings it in.
  @Test func whatCanBeWrittenNowhereIsRecovered() throws {
    let folder = try TestFolder()
    let result = shell(
      "mkdir d; lifetrace record -o d/t -- sh -c 'rm -r d; echo > d; '$emitter' numbers 100'",
      in: folder
    )
    #expect(result.status == 125, "\(result.output)")
    let session = try #require(folder.names.first { $0.hasPrefix("lifetrace-") })
    #expect(result.output.contains("--recover \(folder.path)/\(session) -o OUT"))
    for unnamed in ["", session] {
      let refused = shell("lifetrace record --recover \(unnamed)", in: folder)
      #expect(refused.status == 125 && refused.output.contains("-o OUT"), "\(refused.output)")
    }
    let recovered = shell("lifetrace record --recover $PWD/\(session) -o t", in: folder)
    #expect(recovered.status == 0 && recovered.output.contains("none lost"), "\(recovered.output)")
    #expect(shell("lifetrace verify t", in: folder).status == 0)
    #expect(shell("lifetrace info t", in: folder).output.contains("102 events"))
    #expect(folder.names == ["d", "t"])
  }

  @Test(arguments: ["-f ", ""]) func aLinkStaysALink(force: String) throws {
    let folder = try TestFolder()
    let before = force.isEmpty ? "mkdir d" : "mkdir d; echo precious > d/real; chmod 600 d/real"
    let result = shell(
      """
      \(before); ln -s real d/link; ln -s d/link link
      lifetrace record \(force)-o link -- true; echo rc $?
      readlink link d/link; ls d
      """,
      in: folder
    )
    guard !force.isEmpty else {
      // Nobody knows whether a file is meant that is not there.
      #expect(result.output.contains("rc 125"), "\(result.output)")
      #expect(result.output.contains("link: is a symbolic link to "), "\(result.output)")
      #expect(result.output.contains("d/real, which is not there"), "\(result.output)")
      #expect(result.output.hasSuffix("d/link\nreal\nlink\n"), "\(result.output)")
      return
    }
    #expect(result.output.hasSuffix("rc 0\nd/link\nreal\nlink\nreal\n"), "\(result.output)")
    #expect(shell("lifetrace verify d/real", in: folder).status == 0)
  }

  @Test(arguments: [
    ("mkfifo t", "a pipe"), ("mkdir t", "a directory"), ("ln -s /dev/null t", "a device"),
    ("ln -s /proc/self/fd/1 t", "what a process has open"),
  ])
  func whatIsNoFileIsRefused(making: String, what: String) throws {
    let folder = try TestFolder()
    for force in ["-f ", ""] {
      let result = shell(
        "rm -rf t; \(making); lifetrace record \(force)-o t -- true > out; r=$?; ls; exit $r",
        in: folder
      )
      #expect(result.status == 125, "\(result.output)")
      #expect(result.output.contains("t: is \(what), and no trace"), "\(result.output)")
      #expect(result.output.hasSuffix("out\nt\n"), "\(result.output)")
    }
    for command in ["repair", "merge"] {
      let vector = TerminalSession.quoted(Golden.root + "/Traces/vectors/two-writers.lifetrace")
      let result = shell("lifetrace \(command) \(vector) -f -o t", in: folder)
      #expect(result.status == 74 && result.output.contains("is \(what)"), "\(result.output)")
    }
  }

  @Test func theUmaskDecidesWhoMayRead() throws {
    let folder = try TestFolder()
    let line = "umask 027; lifetrace record -o t -- true; stat -c %a t"
    #expect(shell(line, in: folder).output.hasSuffix("\n640\n"))
    #expect(shell("lifetrace record --help", in: folder).output.contains("umask"))
  }

  /// A copy that was taken while recording and the finished trace, by `cat`.
  @Test func aLiveCopyAndTheFinishedTraceShowEachEventOnce() throws {
    let folder = try TestFolder()
    let story = Golden.root + "/Traces/vectors/two-writers.lifetrace"
    let reader = try TraceReader(path: story)
    let writer = try TraceWriter(path: folder.file("final"), options: .create)
    for stream in reader.streams {
      for chunk in stream.chunks {
        let decoded = try reader.decode(chunk)
        // An event a chunk, as of a quiet process.
        for (index, event) in decoded.events.enumerated() {
          var encoder = ChunkEncoder()
          encoder.append(event)
          var header = decoded.header
          header.firstSequence += UInt64(index)
          if index > 0 { header.keyframe = .continued(from: chunk.firstSequence) }
          try writer.append(
            encoder.finish(
              header: header,
              keyframe: index == 0 ? decoded.keyframe : [],
              names: reader.names
            )
          )
          if index == 4 { try folder.write(folder.read("final"), to: "live") }
        }
      }
    }
    try writer.finish(end: true)
    #expect(shell("cat live final > both; cat final live > turned", in: folder).status == 0)
    for both in ["both", "turned"] {
      let verify = shell("lifetrace verify \(both)", in: folder)
      #expect(verify.status == 0, "\(verify.output)")
      let info = shell("lifetrace info \(both)", in: folder).output
      #expect(info.contains("\(both): 18 events of 2 processes"), "\(info)")
      #expect(info.contains("the recording ended well"), "\(info)")
      for command in ["dump", "check", "replay --batch"] {
        let one = shell("lifetrace \(command) final", in: folder)
        let two = shell("lifetrace \(command) \(both)", in: folder)
        #expect(two.output == one.output.replacing("final", with: both), "\(command)")
        #expect(two.status == one.status)
      }
    }
  }

  /// A repair says of its copy what verify says.
  @Test(arguments: ["two-writers", "cat", "no-index", "torn", "damaged"])
  func aRepairLeavesAsVerifyOfItsCopyWould(vector: String) throws {
    let folder = try TestFolder()
    let path = TerminalSession.quoted(Golden.root + "/Traces/vectors/\(vector).lifetrace")
    let repair = shell("lifetrace repair \(path) -o t", in: folder)
    let verify = shell("lifetrace verify t", in: folder)
    #expect(repair.status == verify.status, "\(repair.output)\(verify.output)")
    #expect(repair.output.contains("no end") == (repair.status == 2), "\(repair.output)")
  }
}
