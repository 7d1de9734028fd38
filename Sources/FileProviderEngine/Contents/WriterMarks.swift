import LinuxSystem

/// The files that programs may have open for writing, in a file that outlives this process. Programs that write to a file past the
/// engine go on with that when the engine has died, and the next one has to find them without opening every edit that waits.
///
/// A power failure may take marks, and takes the programs as well. Used by one thread, the engine's.
final class WriterMarks {
    private let path: String
    /// Eight bytes for each file, the item's number, or 0; `nil` before the first one was marked.
    private var file: FileDescriptor?
    private var places: [ItemNumber: Int] = [:]
    /// Those below ``end`` that are not taken.
    private var free: [Int] = []
    private var end = 0
    /// Those that stay marked until the next start, whoever closes the file.
    private var kept: Set<ItemNumber> = []

    private static let size = MemoryLayout<Int64>.size
    /// Places that are made at once: so a disk that is full later keeps hardly anybody from opening a file.
    private static let step = 512
    /// What a file of more of them holds is no marks.
    private static let most = 1 << 20

    /// The items that were marked when the last engine ended; `nil` where that wrote no marks, so that any item may be among them.
    let left: Set<ItemNumber>?

    init(path: String) throws(Errno) {
        self.path = path
        do throws(Errno) {
            file = try .open(path, .readWrite)
        } catch .noSuchFile {
            left = nil
            return
        }
        let bytes = try file?.readToEnd(limit: Self.most * Self.size) ?? []
        // What was made on a full disk says nothing of whoever there was.
        guard bytes.count >= Self.step * Self.size else {
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

    /// Writes down that a file is going to be open for writing.
    func mark(_ number: ItemNumber) throws(Errno) {
        guard places[number] == nil else { return }
        if free.isEmpty { try makeRoom() }
        guard let place = free.last else { return }
        try write(number.rawValue, at: place)
        free.removeLast()
        places[number] = place
    }

    /// As ``mark(_:)``, until the next start: somebody writes to it of whom this engine does not hear.
    func keep(_ number: ItemNumber) throws(Errno) {
        kept.insert(number)
        try mark(number)
    }

    /// Nobody has it open for writing any more.
    func unmark(_ number: ItemNumber) {
        guard !kept.contains(number), let place = places[number] else { return }
        // One mark too many costs a look at the next start.
        guard (try? write(0, at: place)) != nil else { return }
        places[number] = nil
        free.append(place)
    }

    /// Has it be known from now on which files are marked.
    func begin() throws(Errno) {
        if file == nil { try makeRoom() }
    }

    private func makeRoom() throws(Errno) {
        var opened = file
        if opened == nil { opened = try .open(path, [.readWrite, .create], permissions: 0o600) }
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
