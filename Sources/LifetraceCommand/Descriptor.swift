// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Writing to what others have handed to us.
enum Descriptor {
  /// Writes all of `bytes`, to one that does not block too; the error that kept it from that, or 0.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let put = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if put >= 0 {
        done += put
      } else if errno == EAGAIN {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&polled, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
