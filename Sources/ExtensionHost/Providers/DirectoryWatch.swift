import Glibc
import LinuxSystem

/// Watches the path of the local directory that a provider serves. After each change of the mounts, the watch examines
/// the path. It detects that another directory is at the path, or that the directory was mounted again, for example
/// after its disk was unplugged and plugged in. A process that was confined before this change cannot access the new
/// directory.
final class DirectoryWatch: Sendable {
    private let end: EventCounter

    /// The identity of the directory at a path, and of the directory's mount.
    private struct Directory: Equatable {
        let mount: UInt64
        let identity: FileStatus.Identity

        /// Examines the directory at the given path; `nil` if no directory exists there.
        init?(_ path: String) {
            guard let folder = try? FileDescriptor.open(path, [.pathOnly, .directory]),
                let status = try? folder.status()
            else { return nil }
            (mount, identity) = (folder.mountIdentifier, status.identity)
        }
    }

    /// Starts to watch the given path.
    ///
    /// - Parameter changed: Called on the watch's own thread after another directory, or a new mount, was detected.
    init(_ path: String, _ changed: @escaping @Sendable () -> Void) throws(Errno) {
        // This file is always readable. POLLERR and POLLPRI report a change of the mounts (proc(5)).
        let mounts = try FileDescriptor.open("/proc/self/mountinfo", [.readOnly])
        let end = try EventCounter()
        self.end = end
        // The directory is examined before the thread starts, because the mounts may change while the thread starts.
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

/// Watches the directories of a provider whose process was ended because it was idle. The watch reports the first
/// event, so that the owner of the watch can start the process again.
final class SleepWatch: Sendable {
    private let end: EventCounter

    /// Starts the watch.
    ///
    /// - Parameter wake: Called once, at the first event, on the watch's own thread. The watch does not read the
    ///   events.
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
