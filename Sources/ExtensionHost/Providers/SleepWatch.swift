import Glibc
import LinuxSystem

/// Waits for something to happen in the folders of a provider whose process has ended for want of something to do: whoever
/// keeps this object wakes it then.
final class SleepWatch: Sendable {
    private let end: EventCounter

    /// - Parameter wake: called once, on a thread of its own. What has happened stays to be read.
    init(_ notices: FolderNotices, _ wake: @escaping @Sendable () -> Void) throws(Errno) {
        let end = try EventCounter()
        self.end = end
        try SystemThread.start("purvey-sleep") {
            var waited = [end.descriptor, notices.descriptor].map {
                pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
            }
            while poll(&waited, nfds_t(waited.count), -1) < 0, errno == EINTR {}
            if waited[0].revents == 0 { wake() }
        }
    }

    deinit { end.raise() }
}
