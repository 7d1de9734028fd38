import Glibc
import LinuxSystem

/// A watch of the directories of a provider whose process was ended because it was idle. It reports the first event, so
/// that its owner can start the process.
final class SleepWatch: Sendable {
    private let end: EventCounter

    /// Starts the watch.
    ///
    /// - Parameter wake: Called once, on the watch's own thread. The events remain to be read.
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
