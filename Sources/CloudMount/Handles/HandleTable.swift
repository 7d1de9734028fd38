import CLinux
import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import LinuxSystem
internal import MountTakeover

/// The files that programs have open, with their handles.
///
/// All handles of a file are cached, or all use passthrough, because the kernel refuses to mix both modes. The first
/// open determines the mode. After all handles of the file are released, the next open determines the mode again.
final class HandleTable: Sendable {
    /// The way in which the kernel accesses a file's contents.
    enum AccessMode: Sendable {
        case cached
        case passthrough(BackingFile)
    }

    /// One handle of a file.
    final class Handle: Sendable {
        let handle: UInt64
        let item: OpenHandle
        let isForWriting: Bool

        init(handle: UInt64, item: OpenHandle, isForWriting: Bool) {
            self.handle = handle
            self.item = item
            self.isForWriting = isForWriting
        }

        var number: ItemNumber { item.number }
    }

    /// The state of an open file, which takes precedence over the file's row in the index.
    struct View: Sendable {
        /// The contents, once all bytes are local.
        let descriptor: FileDescriptor?
        /// The file's status when one of its handles was last released.
        let lastStatus: FileStatus?
        let isOpenForWriting: Bool
        /// The local file's modification date before the first write. If the file now has another date, it was written
        /// to, and the new date is reported. `nil` if the file's date is always reported.
        let modifiedBefore: Double?
        /// The item's row in the index when it was last opened. It is used if the index no longer has the row.
        let known: IndexedItem

        /// The current status of the contents; `nil` if they are not local.
        var status: FileStatus? { (try? descriptor?.status()) ?? lastStatus }
    }

    private struct File {
        var mode: AccessMode
        var openings: [Handle] = []
        var modifiedBefore: Double?
        var wasCut = false
        var known: IndexedItem
        /// The status at the last release of a handle.
        var lastStatus: FileStatus?

        /// The contents, through the first handle that has a descriptor. A handle may be closed at any time, and then
        /// has no descriptor.
        private var descriptor: FileDescriptor? {
            for opening in openings {
                if let descriptor = opening.item.descriptor { return descriptor }
            }
            return nil
        }

        var view: View {
            View(
                descriptor: descriptor, lastStatus: lastStatus,
                isOpenForWriting: openings.contains(where: \.isForWriting),
                modifiedBefore: wasCut ? nil : modifiedBefore, known: known)
        }
    }

    private struct State {
        var files: [ItemNumber: File] = [:]
        var openings: [UInt64: Handle] = [:]
        var lastHandle: UInt64
        /// The number of each resumed handle, by the kernel's identifier of the FUSE_OPEN request that opened it. The
        /// kernel repeats such a request if it had no reply.
        var requests: [UInt64: UInt64] = [:]
        /// The state of each file at its last close. The contents of that state may still be in the page cache.
        var pages: [ItemNumber: FileState] = [:]
        /// The number of handles for writing that were released.
        var endedCount: UInt64 = 0
    }

    // Leaf lock. While it is held, descriptors may be read, but no reference to a file is released.
    private let state: Lock<State>
    /// The table of handles that the next process reads when it takes over the mount.
    private let sharedTable: SharedHandleTable?

    /// Creates an empty table.
    ///
    /// Handle numbers are unique across daemon restarts. Numbering starts at CLOCK_BOOTTIME in nanoseconds, and files
    /// are opened at a lower rate than one per nanosecond.
    init(_ sharedTable: SharedHandleTable? = nil) {
        self.sharedTable = sharedTable
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        state = Lock(State(lastHandle: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)))
    }

    /// The maximum number of recorded states of closed files (`State.pages`). When it is reached, all records are
    /// dropped, and the kernel reads the pages of these files again.
    private static let pageLimit = 10_000

    /// Adds a handle.
    ///
    /// - Parameters:
    ///   - wasCut: Whether the file was opened with O_TRUNC.
    ///   - request: The kernel's identifier of the request that opened the file.
    ///   - passing: Creates a backing file; returns `nil` if passthrough is not possible. Called only for the first
    ///     handle, and not under the lock.
    /// - Returns: The handle, its access mode, and whether the kernel's cached pages of the file are still valid.
    func add(
        _ item: OpenHandle, known: IndexedItem, isForWriting: Bool, wasCut: Bool, request: UInt64,
        passing: () -> BackingFile?
    ) -> (opening: Handle, mode: AccessMode, keepsPages: Bool) {
        let isFirst = state.withLock { $0.files[item.number] == nil }
        // Two concurrent first opens may both create a backing file. The second backing file is dropped.
        let backing = isFirst ? passing() : nil
        let status = try? item.descriptor?.status()
        return state.withLock { state in
            state.lastHandle += 1
            let opening = Handle(handle: state.lastHandle, item: item, isForWriting: isForWriting)
            var file =
                state.files[item.number] ?? File(mode: backing.map(AccessMode.passthrough) ?? .cached, known: known)
            file.openings.append(opening)
            file.known = known
            if wasCut { file.wasCut = true }
            if file.modifiedBefore == nil { file.modifiedBefore = status?.modifiedDate }
            state.files[item.number] = file
            state.openings[opening.handle] = opening
            note(opening, of: file, isCut: wasCut, status, request)
            var keepsPages = false
            switch file.mode {
            case .cached:
                // While a file stays open, its cached pages are valid.
                keepsPages =
                    file.openings.count > 1 || status.map { state.pages[item.number] == FileState($0) } ?? false
            case .passthrough:
                state.pages[item.number] = nil
            }
            return (opening, file.mode, keepsPages && !wasCut)
        }
    }

    private func note(_ opening: Handle, of file: File, isCut: Bool, _ status: FileStatus?, _ request: UInt64) {
        guard let sharedTable else { return }
        var flags: SharedHandleTable.Flags = []
        if opening.isForWriting { flags.insert(.writing) }
        if isCut { flags.insert(.wasCut) }
        var backing: Int32 = 0
        if case .passthrough(let passed) = file.mode { backing = passed.identifier }
        sharedTable.add(
            SharedHandleTable.Entry(
                handle: opening.handle, item: opening.number.rawValue, file: status?.identity.inode ?? 0,
                request: request, flags: flags, backing: backing, modifiedBefore: file.modifiedBefore))
    }

    /// Resumes the handles that were open before this process took over the mount.
    ///
    /// - Parameters:
    ///   - items: The handles that could be reopened. Accesses through all other handles fail from now on.
    ///   - backing: Returns the object for the identifier of a backing file in the kernel. It is called for every
    ///     backing file in the table, so that the caller can close the unused backing files.
    /// - Returns: The items of all recorded handles. What the kernel has cached of these items may be outdated.
    func resume(
        _ items: [UInt64: (OpenHandle, IndexedItem)], backing: (Int32) -> BackingFile?
    ) -> Set<ItemNumber> {
        guard let sharedTable else { return [] }
        var numbers: Set<ItemNumber> = []
        for entry in sharedTable.entries {
            numbers.insert(ItemNumber(rawValue: entry.item))
            guard let (item, known) = items[entry.handle], item.number.rawValue == entry.item else {
                if entry.backing != 0 { _ = backing(entry.backing) }
                sharedTable.remove(entry.handle)
                continue
            }
            let isFirst = state.withLock { $0.files[item.number] == nil }
            let passed = isFirst && entry.backing != 0 ? backing(entry.backing) : nil
            let inode = (try? item.descriptor?.status())?.identity.inode
            if let inode { sharedTable.setFile(inode, of: entry.handle) }
            state.withLock { state in
                let opening = Handle(handle: entry.handle, item: item, isForWriting: item.isForWriting)
                var file =
                    state.files[item.number] ?? File(mode: passed.map(AccessMode.passthrough) ?? .cached, known: known)
                file.openings.append(opening)
                if entry.flags.contains(.wasCut) { file.wasCut = true }
                if file.modifiedBefore == nil, !entry.modifiedBefore.isNaN {
                    file.modifiedBefore = entry.modifiedBefore
                }
                state.files[item.number] = file
                state.openings[opening.handle] = opening
                state.requests[entry.request] = opening.handle
                state.lastHandle = max(state.lastHandle, opening.handle)
            }
        }
        return numbers
    }

    /// Returns the handle that the previous process created for a request that the kernel now repeats, and the handle's
    /// access mode. Returns `nil` if the previous process created no handle.
    func opening(ofRequest request: UInt64) -> (opening: Handle, mode: AccessMode)? {
        state.withLock { state in
            guard let handle = state.requests[request], let opening = state.openings[handle],
                let file = state.files[opening.number]
            else { return nil }
            return (opening, file.mode)
        }
    }

    /// Records that the contents of the given handle have become local. Must be called before anything is written to
    /// them.
    func becameReady(_ opening: Handle, _ descriptor: FileDescriptor) {
        guard let status = try? descriptor.status() else { return }
        sharedTable?.setFile(status.identity.inode, of: opening.handle)
        state.withLock { state in
            if state.files[opening.number]?.modifiedBefore == nil {
                state.files[opening.number]?.modifiedBefore = status.modifiedDate
            }
        }
    }

    /// Records that bytes were read from the partial file of a handle. After a takeover, the handle must continue with
    /// the same file.
    func hasBegun(_ opening: Handle, _ descriptor: FileDescriptor) {
        guard let sharedTable, let status = try? descriptor.status() else { return }
        sharedTable.setFile(status.identity.inode, of: opening.handle)
    }

    /// Records that a program set the modification date of the given file. This date is reported until the next write.
    func noteDateIsSet(_ number: ItemNumber) {
        guard let status = view(of: number)?.status else { return }
        state.withLock { state in
            state.files[number]?.modifiedBefore = status.modifiedDate
            state.files[number]?.wasCut = false
        }
    }

    func opening(_ handle: UInt64) -> Handle? { state.withLock { $0.openings[handle] } }

    /// Returns the state of an open file; `nil` if the file is not open.
    func view(of number: ItemNumber) -> View? {
        state.withLock { state in
            state.files.isEmpty ? nil : state.files[number]?.view
        }
    }

    /// The number of handles for writing that were released and reconciled. The index has the results of their writes.
    var endedCount: UInt64 { state.withLock { $0.endedCount } }

    /// Whether the kernel currently caches no attributes of the given file, because every reply limits their validity
    /// to zero.
    func isAskedForAnew(_ number: ItemNumber) -> Bool {
        state.withLock { state in
            guard let view = state.files[number]?.view else { return false }
            return view.isOpenForWriting || view.descriptor == nil && view.lastStatus == nil
        }
    }

    /// Ends and returns a handle that the kernel has released; `nil` if the handle is unknown. The file counts as open
    /// until ``remove(_:)``.
    func end(_ handle: UInt64) -> Handle? {
        sharedTable?.remove(handle)
        guard let opening = opening(handle) else { return nil }
        let status = try? opening.item.descriptor?.status()
        return state.withLock { state in
            if let status { state.files[opening.number]?.lastStatus = status }
            return state.openings.removeValue(forKey: handle)
        }
    }

    /// Removes a handle after ``end(_:)``.
    func remove(_ opening: Handle) {
        // Releasing the last handle closes the backing file in the kernel, which may block on the disk. Therefore the
        // last handle is released after the lock.
        let last = state.withLock { state -> File? in
            if opening.isForWriting { state.endedCount += 1 }
            state.files[opening.number]?.openings.removeAll { $0 === opening }
            guard let file = state.files[opening.number], file.openings.isEmpty else { return nil }
            state.files[opening.number] = nil
            guard case .cached = file.mode, let status = file.lastStatus else { return file }
            if state.pages.count >= Self.pageLimit { state.pages.removeAll() }
            state.pages[opening.number] = FileState(status)
            return file
        }
        withExtendedLifetime(last) {}
    }

    /// Removes and returns all handles, when the mount has ended.
    func takeAll() -> [Handle] {
        let all = state.withLock { state in
            defer { state = State(lastHandle: state.lastHandle) }
            return state
        }
        return all.files.values.flatMap(\.openings)
    }
}
