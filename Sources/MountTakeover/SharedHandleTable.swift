import CLinux
import Glibc
package import LinuxSystem
import Synchronization

/// A table of a mount's open handles. The table is a memory file, and outlives the daemon because the keeper also has a
/// descriptor of the file.
///
/// Writing an entry takes a few stores to memory and no system call. Only one process writes at a time. The next
/// process reads the file when it takes over. If a process is killed while it writes an entry, the entry is complete or
/// absent.
///
/// Sendable because the mapping is written only under the lock, and unmapped when the last reference is released.
package final class SharedHandleTable: @unchecked Sendable {
    /// The properties of a handle.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The handle is open for writing.
        package static let writing = Flags(rawValue: 1)
        /// The file was opened with O_TRUNC.
        package static let wasCut = Flags(rawValue: 4)
    }

    /// One handle.
    package struct Entry: Sendable, Hashable {
        /// The kernel's number of the handle; never 0.
        package var handle: UInt64
        package var item: Int64
        /// The inode number of the local file with the handle's contents; 0 if the contents are not local.
        package var file: UInt64
        /// The kernel's identifier of the request that opened the handle.
        package var request: UInt64
        package var flags: Flags
        /// The kernel's identifier of the backing file for passthrough; 0 if there is no backing file.
        package var backing: Int32
        /// The modification date of the local file before the first write, in seconds since 1970; NaN if it is unknown.
        package var modifiedBefore: Double

        package init(
            handle: UInt64, item: Int64, file: UInt64, request: UInt64, flags: Flags, backing: Int32,
            modifiedBefore: Double?
        ) {
            self.handle = handle
            self.item = item
            self.file = file
            self.request = request
            self.flags = flags
            self.backing = backing
            self.modifiedBefore = modifiedBefore ?? .nan
        }
    }

    private struct State {
        /// The index of each handle's entry in the file.
        var places: [UInt64: Int] = [:]
        var free: [Int] = []
        /// The first index that was never used. The file stores this value at index 0.
        var next = 1
    }

    /// The maximum number of recorded handles. Further handles are lost when the daemon dies.
    package static let entryLimit = 1 << 18
    private static let stride = 64
    private static let size = entryLimit * stride

    /// The memory file. Only the pages with written data take memory.
    package let file: FileDescriptor
    private let bytes: UnsafeMutableRawPointer
    // Leaf lock.
    private let state: Lock<State>

    /// Creates an empty table.
    package convenience init() throws(Errno) {
        let file = try MemoryFile.create(name: "purvey-openings")
        try file.truncate(to: Self.size)
        // The seals prevent every process from truncating the file. A truncation would make the readers crash.
        try retrying { clinux_add_seals(file.rawValue, clinux_seal_shrink | clinux_seal_grow) }
        try self.init(mapping: file)
    }

    /// Reads the table of another process.
    package convenience init(takingOver file: FileDescriptor) throws(Errno) {
        let seals = clinux_get_seals(file.rawValue)
        guard try file.status().size == Self.size, seals >= 0, seals & clinux_seal_shrink != 0 else {
            throw .invalidArgument
        }
        try self.init(mapping: file)
        let next = min(max(1, Int(clamping: count)), Self.entryLimit)
        state.withLock { state in
            state.next = next
            for place in 1..<max(1, next) {
                let handle = load(at: place).handle
                if handle == 0 { state.free.append(place) } else { state.places[handle] = place }
            }
        }
    }

    private init(mapping file: FileDescriptor) throws(Errno) {
        self.file = file
        let address = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
        guard let address, address != MAP_FAILED else { throw .current }
        bytes = address
        state = Lock(State())
    }

    deinit { munmap(bytes, Self.size) }

    /// The recorded handles.
    package var entries: [Entry] { state.withLock { $0.places.values.sorted().map { load(at: $0) } } }

    /// Records a handle. Must be called before the handle is sent to the kernel.
    package func add(_ record: Entry) {
        state.withLock { state in
            guard record.handle != 0, state.places[record.handle] == nil else { return }
            let place: Int
            if let free = state.free.popLast() {
                place = free
            } else {
                guard state.next < Self.entryLimit else { return }
                place = state.next
                state.next += 1
            }
            state.places[record.handle] = place
            var entry = record
            entry.handle = 0
            store(entry, at: place)
            // The handle is stored last. If this process is killed before that, readers find handle 0 at this index,
            // and ignore the entry.
            atomicMemoryFence(ordering: .releasing)
            setHandle(record.handle, at: place)
            count = UInt64(state.next)
        }
    }

    /// Records the inode number of the local file with the given handle's contents.
    package func setFile(_ inode: UInt64, of handle: UInt64) {
        state.withLock { state in
            guard let place = state.places[handle] else { return }
            bytes.storeBytes(of: inode, toByteOffset: place * Self.stride + 16, as: UInt64.self)
        }
    }

    /// Removes a released handle.
    package func remove(_ handle: UInt64) {
        state.withLock { state in
            guard let place = state.places.removeValue(forKey: handle) else { return }
            setHandle(0, at: place)
            state.free.append(place)
        }
    }

    // MARK: The file

    private var count: UInt64 {
        get { bytes.load(as: UInt64.self) }
        set { bytes.storeBytes(of: newValue, as: UInt64.self) }
    }

    private func setHandle(_ handle: UInt64, at place: Int) {
        bytes.storeBytes(of: handle, toByteOffset: place * Self.stride, as: UInt64.self)
    }

    private func store(_ record: Entry, at place: Int) {
        let entry = bytes + place * Self.stride
        entry.storeBytes(of: record.handle, as: UInt64.self)
        entry.storeBytes(of: record.item, toByteOffset: 8, as: Int64.self)
        entry.storeBytes(of: record.file, toByteOffset: 16, as: UInt64.self)
        entry.storeBytes(of: record.request, toByteOffset: 24, as: UInt64.self)
        entry.storeBytes(of: record.flags.rawValue, toByteOffset: 32, as: UInt32.self)
        entry.storeBytes(of: record.backing, toByteOffset: 36, as: Int32.self)
        entry.storeBytes(of: record.modifiedBefore, toByteOffset: 40, as: Double.self)
    }

    private func load(at place: Int) -> Entry {
        let entry = bytes + place * Self.stride
        return Entry(
            handle: entry.load(as: UInt64.self), item: entry.load(fromByteOffset: 8, as: Int64.self),
            file: entry.load(fromByteOffset: 16, as: UInt64.self),
            request: entry.load(fromByteOffset: 24, as: UInt64.self),
            flags: Flags(rawValue: entry.load(fromByteOffset: 32, as: UInt32.self)),
            backing: entry.load(fromByteOffset: 36, as: Int32.self),
            modifiedBefore: entry.load(fromByteOffset: 40, as: Double.self))
    }
}
