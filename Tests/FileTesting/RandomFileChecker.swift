import CLinux
import Glibc
import LinuxSystem

/// A checker that performs random operations on one file and compares each result with the expected bytes. The method
/// is that of `fsx`, the file system exerciser of NeXT and Apple, in a new implementation.
///
/// It mixes all ways to access a file: reads and writes at offsets, mappings, truncation, allocation, copies within the
/// file, closing and opening again, appending, and saving by rename. Data that are written in one way must be visible
/// at once in every other way.
package struct RandomFileChecker {
    /// A failure, with the seed and the last operations before it.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The maximum size of the file in bytes.
    private static let limit = 256 << 10
    private static let pageSize = 4096

    private let path: String
    private let seed: UInt64
    private var generator: RandomNumbers
    private var expected: [UInt8] = []
    private var file: FileDescriptor
    /// Whether writes append to the file, regardless of their offset.
    private var appends = false
    private var isOpenToAppend = false
    private var log: [String] = []

    /// - Parameter path: The path of a file that does not exist yet.
    package init(path: String, seed: UInt64) throws {
        self.path = path
        self.seed = seed
        generator = RandomNumbers(seed: seed)
        file = try .open(path, [.readWrite, .create, .exclusive], permissions: 0o644)
    }

    /// The bytes that the file must have now.
    package var contents: [UInt8] { expected }

    /// - Parameter after: A closure that is called after each operation, and may make further checks.
    package mutating func run(operations: Int, after: (Int) throws -> Void = { _ in }) throws {
        for number in 0..<operations {
            do {
                try step()
            } catch {
                throw fault("operation \(number): \(error)")
            }
            try after(number)
        }
        try check(0, expected.count + Self.pageSize)
    }

    /// Closes the file and returns its final contents.
    package consuming func finish() throws -> [UInt8] {
        try file.synchronize()
        return expected
    }

    private func fault(_ words: String) -> Fault {
        Fault(
            description: "seed \(seed): \(words); last: " + log.suffix(12).joined(separator: ", ")
                + "; size \(expected.count)")
    }

    private mutating func note(_ words: String) {
        log.append(words)
        if log.count > 64 { log.removeFirst(32) }
    }

    private mutating func step() throws {
        switch generator.below(100) {
        case 0..<30: try write()
        case 30..<55: try read()
        case 55..<65: try writeMapped()
        case 65..<75: try readMapped()
        case 75..<83: try truncate()
        case 83..<87: try allocate()
        case 87..<91: try copyWithin()
        case 91..<94: try openAgain()
        case 94..<95: try switchAppending()
        case 95..<97: try file.synchronize()
        case 97..<98: try saveByRename()
        default: try checkSize()
        }
    }

    private mutating func write() throws {
        let named = generator.below(Self.limit - 1)
        let offset = appends ? expected.count : named
        guard offset < Self.limit else { return }
        let count = 1 + generator.below(min(64 << 10, Self.limit - offset))
        note(appends ? "append \(offset)+\(count)" : "write \(offset)+\(count)")
        let bytes = generator.bytes(count)
        try bytes.withUnsafeBytes { try file.writeAll($0, at: named) }
        put(bytes, at: offset)
    }

    private mutating func put(_ bytes: [UInt8], at offset: Int) {
        grow(to: offset + bytes.count)
        expected.withUnsafeMutableBytes { room in
            UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + bytes.count]).copyBytes(from: bytes)
        }
    }

    private mutating func grow(to size: Int) {
        if size > expected.count { expected += [UInt8](repeating: 0, count: size - expected.count) }
    }

    private mutating func read() throws {
        guard !expected.isEmpty else { return }
        let offset = generator.below(expected.count)
        let count = 1 + generator.below(64 << 10)
        note("read \(offset)+\(count)")
        try check(offset, count)
    }

    private func check(_ offset: Int, _ count: Int) throws {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = try bytes.withUnsafeMutableBytes {
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0.dropFirst(filled)), at: offset + filled)
            }
            if read == 0 { break }
            filled += read
        }
        try compare(bytes[..<filled], with: expected.dropFirst(offset).prefix(count), at: offset)
    }

    private func compare(_ found: ArraySlice<UInt8>, with expected: ArraySlice<UInt8>, at offset: Int) throws {
        guard !found.hasSameBytes(as: expected) else { return }
        let place = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }
        guard let place else {
            throw fault("at \(offset) there are \(found.count) bytes instead of \(expected.count)")
        }
        throw fault(
            "byte \(offset + place.offset) is \(place.element.0) instead of \(place.element.1) (\(found.count) bytes read)"
        )
    }

    /// Returns a random range for a mapping: its page-aligned start, and the offset and number of bytes within the
    /// file.
    private mutating func mappedRange() -> (start: Int, offset: Int, count: Int)? {
        guard !expected.isEmpty else { return nil }
        let offset = generator.below(expected.count)
        let count = 1 + generator.below(min(64 << 10, expected.count - offset))
        return (offset - offset % Self.pageSize, offset, count)
    }

    private mutating func withMapping(
        _ range: (start: Int, offset: Int, count: Int), _ protection: CInt,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let length = range.offset - range.start + range.count
        let address = mmap(nil, length, protection, MAP_SHARED, file.rawValue, off_t(range.start))
        guard let address, address != MAP_FAILED else { throw Errno.current }
        defer { munmap(address, length) }
        try body(UnsafeMutableRawBufferPointer(start: address + (range.offset - range.start), count: range.count))
    }

    private mutating func writeMapped() throws {
        guard let range = mappedRange() else { return }
        note("map and write \(range.offset)+\(range.count)")
        let bytes = generator.bytes(range.count)
        try withMapping(range, PROT_READ | PROT_WRITE) { $0.copyBytes(from: bytes) }
        put(bytes, at: range.offset)
    }

    private mutating func readMapped() throws {
        guard let range = mappedRange() else { return }
        note("map and read \(range.offset)+\(range.count)")
        var found: [UInt8] = []
        try withMapping(range, PROT_READ) { found = [UInt8]($0) }
        try compare(found[...], with: expected.dropFirst(range.offset).prefix(range.count), at: range.offset)
    }

    private mutating func truncate() throws {
        let size = generator.below(Self.limit)
        note("truncate \(size)")
        if generator.below(2) == 0 {
            try file.truncate(to: size)
        } else {
            try retrying { Glibc.truncate(path, off_t(size)) }
        }
        if size < expected.count { expected.removeLast(expected.count - size) } else { grow(to: size) }
    }

    private mutating func allocate() throws {
        let offset = generator.below(Self.limit - 1)
        let count = 1 + generator.below(min(64 << 10, Self.limit - offset))
        note("allocate \(offset)+\(count)")
        guard clinux_fallocate(file.rawValue, 0, Int64(offset), Int64(count)) == 0 else {
            // A file system without this operation fails, and has changed nothing.
            if Errno.current == .notSupported { return }
            throw Errno.current
        }
        grow(to: offset + count)
    }

    private mutating func copyWithin() throws {
        guard let range = mappedRange() else { return }
        let target = generator.below(Self.limit - range.count)
        // Overlapping ranges of one file are an error of the caller.
        guard target >= range.offset + range.count || target + range.count <= range.offset else { return }
        note("copy \(range.offset)+\(range.count) to \(target)")
        let other = try file.reopen([.readWrite])
        var from = Int64(range.offset)
        var to = Int64(target)
        var left = range.count
        while left > 0 {
            let copied = clinux_copy_file_range(file.rawValue, &from, other.rawValue, &to, left)
            if copied < 0 {
                if left == range.count, [.notSupported, .crossDevice, .noSystemCall].contains(Errno.current) { return }
                throw Errno.current
            }
            if copied == 0 { break }
            left -= copied
        }
        guard left == 0 else { throw fault("\(left) bytes were not copied") }
        put([UInt8](expected[range.offset..<range.offset + range.count]), at: target)
    }

    private mutating func openAgain() throws {
        appends = generator.below(2) == 0
        isOpenToAppend = appends
        note(appends ? "open again to append" : "open again")
        file = try .open(path, appends ? [.readWrite, .append] : [.readWrite])
    }

    private mutating func switchAppending() throws {
        // A file that was opened for appending and is passed through continues to append.
        guard !isOpenToAppend else { return }
        appends.toggle()
        note(appends ? "append from now on" : "append no more")
        try retrying { fcntl(file.rawValue, F_SETFL, appends ? O_APPEND : 0) }
    }

    /// Writes a new file beside the old one and renames it to the old name, as editors do.
    private mutating func saveByRename() throws {
        note("save by rename")
        let beside = path + ".new"
        let new = try FileDescriptor.open(beside, [.readWrite, .create, .truncate], permissions: 0o644)
        try expected.withUnsafeBytes { try new.writeAll($0, at: 0) }
        try new.synchronize()
        try retrying { rename(beside, path) }
        file = try .open(path, [.readWrite])
        (appends, isOpenToAppend) = (false, false)
    }

    private mutating func checkSize() throws {
        note("size")
        let size = try FileStatus.of(path, followingLinks: false).size
        guard Int(size) == expected.count else { throw fault("the size is \(size) instead of \(expected.count)") }
    }
}

extension ArraySlice<UInt8> {
    /// Whether two slices have the same bytes. Test support is not optimized, so elements are not compared one by
    /// one.
    fileprivate func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { own in
            other.withUnsafeBytes { others in
                guard let own = own.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(own, others, count) == 0
            }
        }
    }
}
