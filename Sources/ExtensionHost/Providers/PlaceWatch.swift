import Glibc
import LinuxSystem

/// A watch for another folder at the path of the one that was handed to a provider, or for the same one mounted anew: its disk was
/// unplugged, or plugged in. A process that was confined before that cannot reach it.
final class PlaceWatch: Sendable {
    private let end: EventCounter

    /// The folder at a path, and its mount.
    private struct Place: Equatable {
        let mount: UInt64
        let identity: FileStatus.Identity

        /// `nil` where no folder is there.
        init?(_ path: String) {
            guard let folder = try? FileDescriptor.open(path, [.pathOnly, .directory]),
                let status = try? folder.status()
            else { return nil }
            (mount, identity) = (folder.mountIdentifier, status.identity)
        }
    }

    /// - Parameter changed: called on a thread of its own, as often as it happens.
    init(_ path: String, _ changed: @escaping @Sendable () -> Void) throws(Errno) {
        // Always readable; a change of the mounts is reported by POLLERR and POLLPRI (proc(5)).
        let mounts = try FileDescriptor.open("/proc/self/mountinfo", [.readOnly])
        let end = try EventCounter()
        self.end = end
        // Read now: the mounts may change before the thread runs.
        let first = Place(path)
        try SystemThread.start("purvey-place") {
            var last = first
            while true {
                var waited = [
                    pollfd(fd: end.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: mounts.rawValue, events: Int16(POLLPRI), revents: 0),
                ]
                guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
                if waited[0].revents != 0 { return }
                // If there is no folder, the process that was handed it reports that itself.
                guard let now = Place(path), now != last else { continue }
                last = now
                changed()
            }
        }
    }

    deinit { end.raise() }
}
