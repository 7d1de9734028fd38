import CLinux
import FileProviderEngine
import Fuse
import Glibc
internal import Keeping
import LinuxSystem

/// The files that programs have open now, and each opening of them.
///
/// All openings of a file are cached or all are passed through, because the kernel refuses to mix them; the first opening
/// decides, and the last one's end lets the next decide anew.
final class OpenFiles: Sendable {
    /// How the kernel reaches a file's bytes.
    enum Way: Sendable {
        case cached
        case passthrough(BackingFile)
    }

    /// One opening by a program.
    final class Opening: Sendable {
        let handle: UInt64
        let item: OpenItem
        let isForWriting: Bool

        init(handle: UInt64, item: OpenItem, isForWriting: Bool) {
            self.handle = handle
            self.item = item
            self.isForWriting = isForWriting
        }

        var number: ItemNumber { item.number }
    }

    /// What a file that is open says of itself, where its row in the index says something else.
    struct View: Sendable {
        /// The bytes, once all of them are here.
        let descriptor: FileDescriptor?
        /// What the file was when one of its openings ended.
        let lastStatus: FileStatus?
        let isOpenForWriting: Bool
        /// The date of the bytes before anything was written; `nil` where their date counts in any case.
        let modifiedBefore: Double?
        /// The row when the file was opened last: it stands for one that was removed since.
        let known: IndexedItem

        /// What the bytes are now; `nil` where they are not here.
        var status: FileStatus? { (try? descriptor?.status()) ?? lastStatus }
    }

    private struct File {
        var way: Way
        var openings: [Opening] = []
        var modifiedBefore: Double?
        var wasCut = false
        var known: IndexedItem
        /// As it was when an opening ended.
        var lastStatus: FileStatus?

        /// Each opening is asked once: it may be closed meanwhile, and then it has none.
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
        var openings: [UInt64: Opening] = [:]
        var lastHandle: UInt64
        /// Openings that were resumed, by what the kernel called the requests for them: one that comes again was not answered.
        var requests: [UInt64: UInt64] = [:]
        /// What pages of a file's contents the kernel may have: those from before its last closing.
        var pages: [ItemNumber: FileState] = [:]
        /// Counts the openings for writing that have ended.
        var endedCount: UInt64 = 0
    }

    // Innermost: nothing else is called while it is held but what reads a descriptor, and no file is let go of.
    private let state: Lock<State>
    /// Where openings are written down for who serves the mount next.
    private let ledger: OpeningLedger?

    /// No two openings have the same handle, by whichever process: they begin with what the clock says, and no process makes one each
    /// nanosecond.
    init(_ ledger: OpeningLedger? = nil) {
        self.ledger = ledger
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        state = Lock(State(lastHandle: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)))
    }

    /// After so many files the pages of all are forgotten, which costs reading them again.
    private static let pageLimit = 10_000

    /// Counts an opening.
    ///
    /// - Parameters:
    ///   - wasCut: the file was opened with its contents thrown away.
    ///   - request: what the kernel calls the request.
    ///   - passing: makes a backing file, if this opening is the first and there can be one. Not called under the lock.
    /// - Returns: the opening, the way for it, and whether the kernel's pages of the file still hold.
    func add(
        _ item: OpenItem, known: IndexedItem, isForWriting: Bool, wasCut: Bool, request: UInt64,
        passing: () -> BackingFile?
    ) -> (opening: Opening, way: Way, keepsPages: Bool) {
        let isFirst = state.withLock { $0.files[item.number] == nil }
        // Two first openings at the same time may both make one; the second one's is dropped again.
        let backing = isFirst ? passing() : nil
        let status = try? item.descriptor?.status()
        return state.withLock { state in
            state.lastHandle += 1
            let opening = Opening(handle: state.lastHandle, item: item, isForWriting: isForWriting)
            var file = state.files[item.number] ?? File(way: backing.map(Way.passthrough) ?? .cached, known: known)
            file.openings.append(opening)
            file.known = known
            if wasCut { file.wasCut = true }
            if file.modifiedBefore == nil { file.modifiedBefore = status?.modifiedDate }
            state.files[item.number] = file
            state.openings[opening.handle] = opening
            note(opening, of: file, isCut: wasCut, status, request)
            var keepsPages = false
            switch file.way {
            case .cached:
                // While it is open all the time, its pages are right.
                keepsPages =
                    file.openings.count > 1 || status.map { state.pages[item.number] == FileState($0) } ?? false
            case .passthrough:
                state.pages[item.number] = nil
            }
            return (opening, file.way, keepsPages && !wasCut)
        }
    }

    private func note(_ opening: Opening, of file: File, isCut: Bool, _ status: FileStatus?, _ request: UInt64) {
        guard let ledger else { return }
        var flags: OpeningLedger.Flags = []
        if opening.isForWriting { flags.insert(.writing) }
        if isCut { flags.insert(.wasCut) }
        var backing: Int32 = 0
        if case .passthrough(let passed) = file.way { backing = passed.identifier }
        ledger.add(
            OpeningLedger.Opening(
                handle: opening.handle, item: opening.number.rawValue, file: status?.identity.inode ?? 0,
                request: request, flags: flags, backing: backing, modifiedBefore: file.modifiedBefore))
    }

    /// Goes on with what programs have open since before this process.
    ///
    /// - Parameters:
    ///   - items: the openings that could be had again, by handle; the others fail from now on.
    ///   - backing: the file of that number, which the kernel has in place of one of ours. Asked for those of all openings, so that
    ///     whoever gives it can let go of those that none goes on with.
    /// - Returns: what the kernel may have kept of that is not to be trusted: the files of all of them.
    func resume(
        _ items: [UInt64: (OpenItem, IndexedItem)], backing: (Int32) -> BackingFile?
    ) -> Set<ItemNumber> {
        guard let ledger else { return [] }
        var numbers: Set<ItemNumber> = []
        for entry in ledger.openings {
            numbers.insert(ItemNumber(rawValue: entry.item))
            guard let (item, known) = items[entry.handle], item.number.rawValue == entry.item else {
                if entry.backing != 0 { _ = backing(entry.backing) }
                ledger.remove(entry.handle)
                continue
            }
            let isFirst = state.withLock { $0.files[item.number] == nil }
            let passed = isFirst && entry.backing != 0 ? backing(entry.backing) : nil
            let inode = (try? item.descriptor?.status())?.identity.inode
            if let inode { ledger.setFile(inode, of: entry.handle) }
            state.withLock { state in
                let opening = Opening(handle: entry.handle, item: item, isForWriting: item.isForWriting)
                var file = state.files[item.number] ?? File(way: passed.map(Way.passthrough) ?? .cached, known: known)
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

    /// The opening that the process before this one has made for a request that comes again, and the way for it; `nil` where it
    /// did not come to that.
    func opening(ofRequest request: UInt64) -> (opening: Opening, way: Way)? {
        state.withLock { state in
            guard let handle = state.requests[request], let opening = state.openings[handle],
                let file = state.files[opening.number]
            else { return nil }
            return (opening, file.way)
        }
    }

    /// The bytes of a file are here now, and nothing was written to them yet.
    func becameReady(_ opening: Opening, _ descriptor: FileDescriptor) {
        guard let status = try? descriptor.status() else { return }
        ledger?.setFile(status.identity.inode, of: opening.handle)
        state.withLock { state in
            if state.files[opening.number]?.modifiedBefore == nil {
                state.files[opening.number]?.modifiedBefore = status.modifiedDate
            }
        }
    }

    /// Bytes of a file were given, of which not all are here: whoever goes on with the opening gives bytes of no other file.
    func hasBegun(_ opening: Opening, _ descriptor: FileDescriptor) {
        guard let ledger, let status = try? descriptor.status() else { return }
        ledger.setFile(status.identity.inode, of: opening.handle)
    }

    /// A date was set for a file, which holds until it is written to again.
    func noteDateIsSet(_ number: ItemNumber) {
        guard let status = view(of: number)?.status else { return }
        state.withLock { state in
            state.files[number]?.modifiedBefore = status.modifiedDate
            state.files[number]?.wasCut = false
        }
    }

    func opening(_ handle: UInt64) -> Opening? { state.withLock { $0.openings[handle] } }

    /// What is known of a file because it is open.
    func view(of number: ItemNumber) -> View? {
        state.withLock { state in
            state.files.isEmpty ? nil : state.files[number]?.view
        }
    }

    /// How many openings for writing have ended: what they have left is in the index since.
    var endedCount: UInt64 { state.withLock { $0.endedCount } }

    /// Whether the kernel keeps nothing of a file's attributes now, because each answer about it holds for no time.
    func isAskedForAnew(_ number: ItemNumber) -> Bool {
        state.withLock { state in
            guard let view = state.files[number]?.view else { return false }
            return view.isOpenForWriting || view.descriptor == nil && view.lastStatus == nil
        }
    }

    /// The kernel asks for nothing more through an opening. It counts until ``remove(_:)``.
    func end(_ handle: UInt64) -> Opening? {
        ledger?.remove(handle)
        guard let opening = opening(handle) else { return nil }
        let status = try? opening.item.descriptor?.status()
        return state.withLock { state in
            if let status { state.files[opening.number]?.lastStatus = status }
            return state.openings.removeValue(forKey: handle)
        }
    }

    /// An opening that has ended does not count any more.
    func remove(_ opening: Opening) {
        // With the last opening the kernel lets go of the file that it has in place of ours, which may take the disk a while.
        let last = state.withLock { state -> File? in
            if opening.isForWriting { state.endedCount += 1 }
            state.files[opening.number]?.openings.removeAll { $0 === opening }
            guard let file = state.files[opening.number], file.openings.isEmpty else { return nil }
            state.files[opening.number] = nil
            guard case .cached = file.way, let status = file.lastStatus else { return file }
            if state.pages.count >= Self.pageLimit { state.pages.removeAll() }
            state.pages[opening.number] = FileState(status)
            return file
        }
        withExtendedLifetime(last) {}
    }

    /// Everything that was open, when the mount has ended.
    func takeAll() -> [Opening] {
        let all = state.withLock { state in
            defer { state = State(lastHandle: state.lastHandle) }
            return state
        }
        return all.files.values.flatMap(\.openings)
    }
}
