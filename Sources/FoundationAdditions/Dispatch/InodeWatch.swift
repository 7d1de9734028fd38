import Dispatch
import Glibc
import Synchronization

/// An inotify watch of the file or directory that a descriptor has open. The watch continues if the file is renamed.
final class InodeWatch: Sendable {
    /// The inotify descriptor, which is readable when there are changes.
    let descriptor: Int32
    private let item: Int32
    /// The identifier of the watch of the parent directory; -1 if the parent directory is not watched.
    private let parentWatch: Int32
    private let state: Mutex<State>

    private struct State {
        /// The raw value of the changes that were read last.
        var events: UInt = 0
        var links: UInt
        var size: Int
    }

    /// Creates a watch. Returns `nil` if the limit of watches is reached, or if the descriptor does not refer to a file
    /// or directory.
    init?(of item: Int32) {
        var status = stat()
        guard fstat(item, &status) == 0 else { return nil }
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let changes =
            IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF
        let path = "/proc/self/fd/\(item)"
        let ownWatch = inotify_add_watch(descriptor, path, UInt32(changes))
        guard ownWatch >= 0 else {
            close(descriptor)
            return nil
        }
        var parentWatch: Int32 = -1
        if status.st_mode & S_IFMT == S_IFDIR {
            // The removal of an open directory is only reported to a watch of its parent.
            let watch = inotify_add_watch(
                descriptor, path + "/..", UInt32(IN_DELETE | IN_ONLYDIR) | UInt32(IN_MASK_ADD))
            // The root is its own parent, so both watches are the same.
            if watch != ownWatch { parentWatch = watch }
        }
        self.parentWatch = parentWatch
        self.descriptor = descriptor
        self.item = item
        state = Mutex(State(links: UInt(status.st_nlink), size: Int(status.st_size)))
    }

    deinit { close(descriptor) }

    /// The changes that were read last.
    var events: DispatchSource.FileSystemEvent {
        DispatchSource.FileSystemEvent(rawValue: state.withLock(\.events))
    }

    /// Reads the pending changes, and returns whether at least one of them is in `mask`.
    func read(_ mask: DispatchSource.FileSystemEvent) -> Bool {
        var (events, hasAttributes) = changes()
        var status = stat()
        if fstat(item, &status) == 0 {
            let (links, size) = (UInt(status.st_nlink), Int(status.st_size))
            let before = state.withLock { state in
                defer { (state.links, state.size) = (links, size) }
                return (links: state.links, size: state.size)
            }
            // The kernel reports changes of links as changes of attributes.
            if hasAttributes { events.insert(links == before.links ? .attrib : .link) }
            if links == 0, before.links != 0 { events.formUnion([.delete, .link]) }
            if events.contains(.write), size > before.size { events.insert(.extend) }
        }
        let told = events.intersection(mask).rawValue
        guard told != 0 else { return false }
        state.withLock { $0.events = told }
        return true
    }

    private func changes() -> (events: DispatchSource.FileSystemEvent, hasAttributes: Bool) {
        var events: DispatchSource.FileSystemEvent = []
        var hasAttributes = false
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return (events, hasAttributes) }
            buffer.withUnsafeBytes { bytes in
                var place = 0
                while place + MemoryLayout<inotify_event>.size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    place += MemoryLayout<inotify_event>.size + Int(event.len)
                    guard event.wd != parentWatch else { continue }
                    func has(_ flags: Int32) -> Bool { event.mask & UInt32(bitPattern: flags) != 0 }
                    if has(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_Q_OVERFLOW) {
                        events.insert(.write)
                    }
                    if has(IN_ATTRIB) { hasAttributes = true }
                    if has(IN_MOVE_SELF) { events.insert(.rename) }
                    if has(IN_DELETE_SELF) { events.insert(.delete) }
                    if has(IN_UNMOUNT) { events.insert(.revoke) }
                }
            }
        }
    }
}
