import LinuxSystem

/// A request to a worker: some bytes of one file, to be prepared for the archive.
struct PieceRequest: Sendable {
    enum Extent: Sendable {
        /// The whole file. A file with the size 0 may have contents nevertheless, as in /proc.
        case whole
        /// A part of a large file.
        case part(Range<Int>, isLast: Bool)
    }

    /// The maximum size of a piece in bytes. A larger file is split into parts, for several threads.
    static let size = 2 << 20

    let file: FileDescriptor
    let status: FileStatus
    let extent: Extent
    /// Whether to try compression.
    let deflates: Bool
}

/// A worker's result for a request.
struct Piece: Sendable {
    let method: ZipEntry.Method
    /// The number of bytes of the file in this piece, and their CRC-32.
    let size: Int
    let checksum: UInt32
    let bytes: [UInt8]
}

/// The reason why a piece could not be made. It lacks the file's path, which ``atPath(_:)`` adds.
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
