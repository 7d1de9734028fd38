import LinuxSystem

/// What is asked of a worker: some bytes of one file, as they go into the archive.
struct PieceRequest: Sendable {
    enum Extent: Sendable {
        /// The whole file, which may say that it is empty and not be.
        case whole
        /// A part of a large file.
        case part(Range<Int>, isLast: Bool)
    }

    /// The most that is read at once: a file that is larger is done in parts, on as many threads as there are.
    static let size = 2 << 20

    let file: FileDescriptor
    let status: FileStatus
    let extent: Extent
    /// Whether to try to make it smaller.
    let deflates: Bool
}

/// What a worker made of it.
struct Piece: Sendable {
    let method: ZipEntry.Method
    /// How many bytes of the file are in it, and their CRC-32.
    let size: Int
    let checksum: UInt32
    let bytes: [UInt8]
}

/// Why a piece could not be made; who asked knows which file it was.
enum PieceError: Error, Sendable {
    case changed
    case sizeUnknown
    case system(Errno)

    func atPath(_ path: String) -> ZipError {
        switch self {
        case .changed: .changedDuringArchiving(path: path)
        case .sizeUnknown: .sizeUnknown(path: path)
        case .system(let error): ZipError(error, path: path)
        }
    }
}
