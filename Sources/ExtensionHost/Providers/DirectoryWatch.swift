import Glibc
import LinuxSystem

/// A watch of the path of the directory that was handed to a provider. It detects when another directory is at the
/// path, or when the directory is mounted again, for example after a disk was unplugged and plugged in. A process that
/// was confined earlier cannot access the new directory.
final class DirectoryWatch: Sendable {
    private let end: EventCounter

    /// The directory at a path, and its mount.
    private struct Directory: Equatable {
        let mount: UInt64
        let identity: FileStatus.Identity

        /// Returns `nil` if no directory exists at the path.
        init?(_ path: String) {
            guard let folder = try? FileDescriptor.open(path, [.pathOnly, .directory]),
                let status = try? folder.status()
            else { return nil }
            (mount, identity) = (folder.mountIdentifier, status.identity)
        }
    }

    /// Starts watching.
    ///
    /// - Parameter changed: Called on the watch's own thread after every change.
    init(_ path: String, _ changed: @escaping @Sendable () -> Void) throws(Errno) {
        // This file is always readable. POLLERR and POLLPRI report a change of the mounts (proc(5)).
        let mounts = try FileDescriptor.open("/proc/self/mountinfo", [.readOnly])
        let end = try EventCounter()
        self.end = end
        // The directory is examined before the thread starts, because the mounts may change meanwhile.
        let first = Directory(path)
        try SystemThread.start("purvey-place") {
            var last = first
            while true {
                var waited = [
                    pollfd(fd: end.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: mounts.rawValue, events: Int16(POLLPRI), revents: 0),
                ]
                guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
                if waited[0].revents != 0 { return }
                // If the directory is missing, the process that serves it reports that.
                guard let now = Directory(path), now != last else { continue }
                last = now
                changed()
            }
        }
    }

    deinit { end.raise() }
}

/// A watch of the directories of a provider whose process was ended because it was idle. It reports the first event, so
/// that its owner can start the process.
final class SleepWatch: Sendable {
    private let end: EventCounter

    /// Starts the watch.
    ///
    /// - Parameter wake: Called once, on the watch's own thread. The watch does not read the events.
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
