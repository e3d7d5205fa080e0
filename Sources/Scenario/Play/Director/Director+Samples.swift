// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// What an app costs the device, looked at where that matters to the system.

extension Director {
  /// Records how much memory the app holds, where the world knows.
  func sampleMemory(of app: Int) {
    guard apps[app].executes else { return }
    let bytes = world.footprint(of: app)
    guard bytes > 0 else { return }
    // Without the place in the scenario: no step asked for it.
    world.record(RecordedEvent { _ in Payload.MemorySample(footprint: bytes) }, about: app)
  }

  /// Sockets on which the app listens stand in its stream while it sleeps, as the host saw them.
  func recordListening(of app: Int) {
    apps[app].listening = world.listeningSockets(of: app)
    for socket in apps[app].listening {
      let event = RecordedEvent {
        Payload.ResourceAcquire(
          name: $0.name(socket.address),
          class: .socket,
          attribute: $0.name("listening"),
          id: socket.inode
        )
      }
      world.record(event, about: app)
    }
  }

  /// The app runs again, and may close them unseen.
  func forgetListening(of app: Int) {
    for socket in apps[app].listening {
      let event = RecordedEvent {
        Payload.ResourceRelease(
          name: $0.name(socket.address),
          class: .socket,
          attribute: $0.name("listening"),
          id: socket.inode
        )
      }
      world.record(event, about: app)
    }
    apps[app].listening = []
  }

  /// The app's time in the background begins: its processor time is counted from here.
  func beginProcessorTime(of app: Int) {
    apps[app].processorTime = (world.processorTime(of: app), world.now)
  }

  /// Records the processor time of the app's stay in the background, which ends here.
  func sampleProcessorTime(of app: Int) {
    guard let begin = apps[app].processorTime else { return }
    apps[app].processorTime = nil
    let (used, wall) = (world.processorTime(of: app) - begin.used, world.now - begin.time)
    guard used > 0, wall > 0 else { return }
    world.record(RecordedEvent { _ in Payload.CpuSample(cpu: used, wall: wall) }, about: app)
  }
}
