import Glibc

/// Reads the library search path from a program's file, a 64-bit little-endian ELF file (elf(5)).
///
/// The file is not trusted. Every offset and length is checked against the file's size before it is used, and tables
/// larger than those of any regular program are refused.
package struct ProgramFile {
    /// The reason why the library search path cannot be read.
    package enum FormatError: Error, Hashable, Sendable {
        case unreadable(Errno)
        /// The file is not a 64-bit little-endian ELF file. It may be a script.
        case isOfAnotherKind
        /// The file refers to positions beyond its end, or its tables are too large.
        case isDamaged
    }

    private let file: FileDescriptor
    private let size: UInt64
    private let segments: [Segment]

    /// A program header: it describes a part of the file that the loader maps at an address or interprets.
    private struct Segment {
        let type: UInt64
        let offset: UInt64
        let address: UInt64
        let size: UInt64
    }

    private static let headerSize = 64
    private static let segmentSize = 56
    /// The maximum number of program headers. Linkers create about a dozen.
    private static let mostSegments = 512
    /// The maximum size of the dynamic section in bytes. Each entry takes 16 bytes, and linkers create about thirty.
    private static let largestDynamicSection: UInt64 = 64 << 10
    /// The maximum size of one string in bytes. It is enough for any realistic search path.
    private static let longestString: UInt64 = 64 << 10

    /// Reads the headers of a program's file. Blocks on the file system.
    package init(_ file: FileDescriptor) throws(FormatError) {
        do throws(Errno) {
            let status = try file.status()
            guard status.kind == .regular else { throw Errno.invalidArgument }
            size = UInt64(status.size)
        } catch {
            throw .unreadable(error)
        }
        self.file = file
        guard size >= UInt64(Self.headerSize) else { throw .isOfAnotherKind }
        let header = try Self.read(Self.headerSize, at: 0, of: file, size: size)
        // The magic number, 64 bits, little-endian.
        guard header.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1]) else {
            throw .isOfAnotherKind
        }
        let count = Int(header.number(at: 56, bytes: 2))
        guard count <= Self.mostSegments, header.number(at: 54, bytes: 2) == Self.segmentSize || count == 0 else {
            throw .isDamaged
        }
        let table = try Self.read(
            count * Self.segmentSize, at: header.number(at: 32, bytes: 8), of: file, size: size)
        segments = (0..<count).map { index in
            let start = index * Self.segmentSize
            return Segment(
                type: table.number(at: start, bytes: 4), offset: table.number(at: start + 8, bytes: 8),
                address: table.number(at: start + 16, bytes: 8), size: table.number(at: start + 32, bytes: 8))
        }
    }

    /// Returns the directories in which the loader searches for libraries first. They come from DT_RUNPATH, or from
    /// DT_RPATH if the file has no DT_RUNPATH (ld.so(8)). The paths are returned as they are in the file: they may be
    /// relative or empty, or contain `$ORIGIN`, which stands for the program's directory.
    package func librarySearchPath() throws(FormatError) -> [String] {
        guard let section = segments.first(where: { $0.type == SegmentType.dynamic }) else { return [] }
        guard section.size <= Self.largestDynamicSection else { throw .isDamaged }
        let entries = try read(Int(section.size), at: section.offset)
        // As in the loader, the last of several entries with the same tag counts.
        var values: [UInt64: UInt64] = [:]
        for start in stride(from: 0, to: entries.count - 15, by: 16) {
            let tag = entries.number(at: start, bytes: 8)
            if tag == Tag.end { break }
            values[tag] = entries.number(at: start + 8, bytes: 8)
        }
        guard let place = values[Tag.runPath] ?? values[Tag.path] else { return [] }
        guard let address = values[Tag.strings], let length = values[Tag.stringsSize] else { throw .isDamaged }
        let text = try string(at: place, inTableAt: address, length: length)
        return text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    private enum SegmentType {
        static let load: UInt64 = 1
        static let dynamic: UInt64 = 2
    }

    private enum Tag {
        static let end: UInt64 = 0
        static let strings: UInt64 = 5
        static let stringsSize: UInt64 = 10
        static let path: UInt64 = 15
        static let runPath: UInt64 = 29
    }

    /// Returns the string at the offset `place` of a string table. The table is at the given load address.
    private func string(at place: UInt64, inTableAt address: UInt64, length: UInt64) throws(FormatError) -> String {
        let loaded = segments.first {
            $0.type == SegmentType.load && address >= $0.address && address - $0.address < $0.size
        }
        guard let loaded, place < length else { throw .isDamaged }
        let intoSegment = address - loaded.address
        let (start, isTooFar) = intoSegment.addingReportingOverflow(place)
        guard !isTooFar, start < loaded.size else { throw .isDamaged }
        let (offset, overflows) = loaded.offset.addingReportingOverflow(start)
        guard !overflows, offset < size else { throw .isDamaged }
        let room = min(length - place, loaded.size - start, size - offset, Self.longestString)
        let bytes = try read(Int(room), at: offset)
        guard let end = bytes.firstIndex(of: 0) else { throw .isDamaged }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private func read(_ count: Int, at offset: UInt64) throws(FormatError) -> [UInt8] {
        try Self.read(count, at: offset, of: file, size: size)
    }

    private static func read(
        _ count: Int, at offset: UInt64, of file: FileDescriptor, size: UInt64
    ) throws(FormatError) -> [UInt8] {
        guard offset <= size, UInt64(count) <= size - offset else { throw .isDamaged }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let (place, wanted) = (off_t(offset) + bytes.count, count - bytes.count)
            var piece = [UInt8](repeating: 0, count: wanted)
            let length: Int
            do throws(Errno) {
                length = try retrying { pread(file.rawValue, &piece, wanted, place) }
            } catch {
                throw .unreadable(error)
            }
            // The file was truncated meanwhile.
            guard length > 0 else { throw .isDamaged }
            bytes += piece[..<length]
        }
        return bytes
    }
}

extension [UInt8] {
    /// Returns the little-endian number in the given bytes of this array. The bytes must exist.
    fileprivate func number(at start: Int, bytes: Int) -> UInt64 {
        self[start..<start + bytes].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
