// SPDX-License-Identifier: Apache-2.0

/// Writing to an open file, pipe or terminal.
package enum Descriptor {
  /// Writes all of `bytes`, to one that does not block too; the error that kept it from that, or 0.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let put = LifetracePlatform.write(
        descriptor,
        bytes.baseAddress.map { $0 + done },
        bytes.count - done
      )
      if put > 0 {
        done += put
      } else if put == 0 {
        return ENOSPC
      } else if errno == EAGAIN {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&polled, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// The same of an array.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { write($0, to: descriptor) }
  }

  /// The same of a text.
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    write(Array(text.utf8), to: descriptor)
  }
}
