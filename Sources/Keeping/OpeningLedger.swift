import CLinux
import Glibc
package import LinuxSystem
import Synchronization

/// What programs have open in a mount, written down where it outlives who serves it: in a memory file, which the keeper has too.
///
/// Writing takes a few stores to memory and no system call. Only one process writes at a time; the next one reads what is there when
/// it takes over. A process that is killed in the midst of an entry leaves one that is whole, or none.
///
/// Sendable because the mapping is written only under the lock, and unmapped with the last reference.
package final class OpeningLedger: @unchecked Sendable {
    /// What an opening was for, and what became of it.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It can be written to.
        package static let writing = Flags(rawValue: 1)
        /// The contents were thrown away.
        package static let wasCut = Flags(rawValue: 4)
    }

    /// One opening.
    package struct Opening: Sendable, Hashable {
        /// What the kernel calls it; never 0.
        package var handle: UInt64
        package var item: Int64
        /// The inode of the file that has its bytes; 0 while they are not here.
        package var file: UInt64
        /// What the kernel called the request to open it.
        package var request: UInt64
        package var flags: Flags
        /// What the kernel calls the file that it reads and writes in its place; 0 for none.
        package var backing: Int32
        /// The date of the bytes before anything was written, in seconds since 1970; not a number where it is not known.
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
        /// Of each handle.
        var places: [UInt64: Int] = [:]
        var free: [Int] = []
        /// From here on nothing was ever written. The first place has this number in it.
        var next = 1
    }

    /// More are not written down, and are lost with who serves them.
    package static let openingLimit = 1 << 18
    private static let stride = 64
    private static let size = openingLimit * stride

    /// The memory file. It takes as much memory as has been written to.
    package let file: FileDescriptor
    private let bytes: UnsafeMutableRawPointer
    // Innermost.
    private let state: Lock<State>

    /// A new one.
    package convenience init() throws(Errno) {
        let file = try MemoryFile.create(name: "purvey-openings")
        try file.truncate(to: Self.size)
        // Nobody can cut pages away from under a reader.
        try retrying { clinux_add_seals(file.rawValue, clinux_seal_shrink | clinux_seal_grow) }
        try self.init(mapping: file)
    }

    /// What another process has written down.
    package convenience init(takingOver file: FileDescriptor) throws(Errno) {
        let seals = clinux_get_seals(file.rawValue)
        guard try file.status().size == Self.size, seals >= 0, seals & clinux_seal_shrink != 0 else {
            throw .invalidArgument
        }
        try self.init(mapping: file)
        let next = min(max(1, Int(clamping: count)), Self.openingLimit)
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

    /// What is written down.
    package var openings: [Opening] { state.withLock { $0.places.values.sorted().map { load(at: $0) } } }

    /// Writes an opening down, before the kernel is told of it.
    package func add(_ opening: Opening) {
        state.withLock { state in
            guard opening.handle != 0, state.places[opening.handle] == nil else { return }
            let place: Int
            if let free = state.free.popLast() {
                place = free
            } else {
                guard state.next < Self.openingLimit else { return }
                place = state.next
                state.next += 1
            }
            state.places[opening.handle] = place
            var entry = opening
            entry.handle = 0
            store(entry, at: place)
            // Whoever reads it after this process was killed in between sees no handle, so no opening.
            atomicMemoryFence(ordering: .releasing)
            setHandle(opening.handle, at: place)
            count = UInt64(state.next)
        }
    }

    /// The bytes of an opening are here, in this file.
    package func setFile(_ inode: UInt64, of handle: UInt64) {
        state.withLock { state in
            guard let place = state.places[handle] else { return }
            bytes.storeBytes(of: inode, toByteOffset: place * Self.stride + 16, as: UInt64.self)
        }
    }

    /// An opening is over.
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

    private func store(_ opening: Opening, at place: Int) {
        let entry = bytes + place * Self.stride
        entry.storeBytes(of: opening.handle, as: UInt64.self)
        entry.storeBytes(of: opening.item, toByteOffset: 8, as: Int64.self)
        entry.storeBytes(of: opening.file, toByteOffset: 16, as: UInt64.self)
        entry.storeBytes(of: opening.request, toByteOffset: 24, as: UInt64.self)
        entry.storeBytes(of: opening.flags.rawValue, toByteOffset: 32, as: UInt32.self)
        entry.storeBytes(of: opening.backing, toByteOffset: 36, as: Int32.self)
        entry.storeBytes(of: opening.modifiedBefore, toByteOffset: 40, as: Double.self)
    }

    private func load(at place: Int) -> Opening {
        let entry = bytes + place * Self.stride
        return Opening(
            handle: entry.load(as: UInt64.self), item: entry.load(fromByteOffset: 8, as: Int64.self),
            file: entry.load(fromByteOffset: 16, as: UInt64.self),
            request: entry.load(fromByteOffset: 24, as: UInt64.self),
            flags: Flags(rawValue: entry.load(fromByteOffset: 32, as: UInt32.self)),
            backing: entry.load(fromByteOffset: 36, as: Int32.self),
            modifiedBefore: entry.load(fromByteOffset: 40, as: Double.self))
    }
}
