import ItemStore
import LinuxSystem

/// The record of the files that programs may have open for writing, in a file on disk that outlives this process. With
/// passthrough, programs continue to write to a file after the engine has died. The next engine has to find these files
/// without opening every edited file.
///
/// A power failure may lose marks. This is harmless, because a power failure also ends the programs. Used on the
/// engine's thread only.
final class WriterMarks {
    private let path: String
    /// The file on disk; `nil` until a usable file was opened or created. It has eight bytes per slot: the item number
    /// of a marked file, or 0.
    private var file: FileDescriptor?
    private var places: [ItemNumber: Int] = [:]
    /// The indices of the unused slots below ``end``.
    private var free: [Int] = []
    private var end = 0
    /// The items that stay marked until the next engine starts, even when this engine closes their last handle.
    private var kept: Set<ItemNumber> = []

    private static let size = MemoryLayout<Int64>.size
    /// The number of slots that are allocated at once. Slots are allocated in advance so that a full disk is unlikely
    /// to prevent an opening.
    private static let step = 512
    /// The maximum number of slots that are read from an existing file.
    private static let most = 1 << 20

    /// The items that were marked when the previous engine ended. `nil` if that engine left no usable record, so that
    /// any item may have been open for writing.
    let left: Set<ItemNumber>?

    init(path: String) throws(Errno) {
        self.path = path
        do throws(Errno) {
            file = try .open(path, .readWrite)
        } catch .noSuchFile {
            left = nil
            return
        }
        let bytes = try file?.readToEnd(limit: Self.most * Self.size + 1) ?? []
        // A file that is shorter than one allocation was created on a full disk, and is not a complete record. A file
        // of more than ``most`` slots is ignored, because it was not read whole.
        guard (Self.step * Self.size...Self.most * Self.size).contains(bytes.count) else {
            left = nil
            file = nil
            return
        }
        var left: Set<ItemNumber> = []
        for place in 0..<bytes.count / Self.size {
            let value = bytes.withUnsafeBytes { bytes in
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * Self.size, as: Int64.self))
            }
            let number = ItemNumber(rawValue: value)
            if value > ItemNumber.root.rawValue, left.insert(number).inserted {
                places[number] = place
            } else {
                free.append(place)
            }
        }
        end = bytes.count / Self.size
        self.left = left
    }

    /// Marks a file that is about to be opened for writing.
    func mark(_ number: ItemNumber) throws(Errno) {
        guard places[number] == nil else { return }
        if free.isEmpty { try makeRoom() }
        guard let place = free.last else { return }
        try write(number.rawValue, at: place)
        free.removeLast()
        places[number] = place
    }

    /// Marks a file until the next engine starts, because a program writes to it through a handle that this engine does
    /// not know.
    func keep(_ number: ItemNumber) throws(Errno) {
        kept.insert(number)
        try mark(number)
    }

    /// Removes the mark of a file after its last write handle is closed.
    func unmark(_ number: ItemNumber) {
        guard !kept.contains(number), let place = places[number] else { return }
        // A stale mark only costs an additional check at the next start.
        guard (try? write(0, at: place)) != nil else { return }
        places[number] = nil
        free.append(place)
    }

    /// Creates the file on disk if it does not exist, so that the next engine finds a record even if no file is marked.
    func begin() throws(Errno) {
        if file == nil { try makeRoom() }
    }

    private func makeRoom() throws(Errno) {
        var opened = file
        // A file that was not a complete record is written anew.
        if opened == nil { opened = try .open(path, [.readWrite, .create, .truncate], permissions: 0o600) }
        guard let file = opened else { return }
        let zeros = [UInt8](repeating: 0, count: Self.step * Self.size)
        let offset = end * Self.size
        let result = zeros.withUnsafeBytes { zeros in
            Result { () throws(Errno) in try file.writeAll(zeros, at: offset) }
        }
        try result.get()
        self.file = file
        free += (end..<end + Self.step).reversed()
        end += Self.step
    }

    private func write(_ value: Int64, at place: Int) throws(Errno) {
        guard let file else { return }
        let offset = place * Self.size
        let result = withUnsafeBytes(of: value.littleEndian) { bytes in
            Result { () throws(Errno) in try file.writeAll(bytes, at: offset) }
        }
        try result.get()
    }
}
