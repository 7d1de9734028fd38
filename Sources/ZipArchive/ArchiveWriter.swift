import Glibc
import LinuxSystem

/// The writer of one archive. It requests compressed pieces of files from ``PieceWorkers`` before it needs them, and
/// writes the pieces in order.
struct ArchiveWriter: ~Copyable {
    /// The maximum number of steps that are not written yet. It is limited because each step keeps its file open.
    private static let pendingSteps = 48
    /// The maximum number of bytes of the pieces of these steps.
    private static let pendingBytes = 32 << 20

    /// A step of writing the archive. Steps are written in order.
    private enum Step {
        /// A complete entry: a directory, or a link and its target.
        case ready(ZipEntry, content: [UInt8])
        /// A file that consists of one piece.
        case file(ZipEntry, PieceRequest, number: Int)
        /// A part of a larger file.
        case part(ZipEntry, PieceRequest, Range<Int>, isLast: Bool, number: Int)

        /// The number of bytes of the step's piece before compression.
        var bytes: Int {
            switch self {
            case .ready: 0
            case .file(let entry, _, _): entry.size
            case .part(_, _, let range, _, _): range.count
            }
        }
    }

    private var output: ArchiveFile
    private let outputIdentity: FileStatus.Identity
    private let start: Int
    private let origin: CopyOrigin
    private let workers: PieceWorkers
    private let compressibility: Compressibility
    private let progress: (Int) -> Void
    private let isCancelled: () -> Bool

    private var steps: [Step] = []
    private var stepBytes = 0
    /// The central directory of the entries written so far.
    private var directory: [UInt8] = []
    private var report = ZipArchiver.Report()
    /// The entry of the large file whose parts are being written, or `nil`.
    private var partial: ZipEntry?

    init(
        _ output: FileDescriptor, _ options: ZipArchiver.Options,
        progress: @escaping (Int) -> Void, isCancelled: @escaping () -> Bool
    ) throws(ZipError) {
        let file = try ArchiveFile(output, startingAt: options.position)
        let probe = try Compressibility.orZipError()
        compressibility = probe
        outputIdentity = file.identity
        self.output = file
        start = options.position
        origin = options.origin
        workers = PieceWorkers(level: options.level, limit: options.threads)
        self.progress = progress
        self.isCancelled = isCancelled
        progress(0)
    }

    // MARK: Adding entries

    /// Adds a directory and all its contents.
    mutating func add(
        tree root: FileDescriptor, named name: FileName, shouldStore: (String) -> Bool
    ) throws(ZipError) {
        var walker: TreeWalker
        do throws(WalkError) {
            walker = try TreeWalker(root: root, opensFiles: true)
        } catch {
            throw ZipError(error, root: name.description)
        }
        let prefix = Array(name.bytes) + [UInt8(ascii: "/")]
        while let event = try Self.next(&walker, name) {
            switch event {
            case .enter(let entry):
                var path = prefix + walker.directoryPath.bytes
                if entry.name != nil { path.append(UInt8(ascii: "/")) }
                try append(.ready(try self.entry(path, entry.status, size: 0), content: []))
            case .leave: break
            case .file(let entry, let file):
                guard let file, let fileName = entry.name else { break }
                let path = prefix + walker.path(of: entry).bytes
                try add(file, entry.status, path, deflates: !shouldStore(fileName.description))
            case .link(let entry, let target):
                let path = prefix + walker.path(of: entry).bytes
                var made = try self.entry(path, entry.status, size: target.count)
                made.checksum = target.withUnsafeBytes(Checksum.of)
                made.compressedSize = target.count
                try append(.ready(made, content: target))
            case .special(let entry):
                let path = walker.path(of: entry).description
                report.skipped.append(SkippedEntry(path: path, kind: entry.status.kind))
            }
        }
    }

    /// Adds a single file as the archive's only entry.
    mutating func add(
        file: FileDescriptor, _ status: FileStatus, named name: FileName, shouldStore: (String) -> Bool
    ) throws(ZipError) {
        try add(file, status, Array(name.bytes), deflates: !shouldStore(name.description))
    }

    private mutating func add(
        _ file: FileDescriptor, _ status: FileStatus, _ path: [UInt8], deflates: Bool
    ) throws(ZipError) {
        guard status.identity != outputIdentity else { throw .archiveInsideSource }
        let entry = try self.entry(path, status, size: status.size)
        guard status.size > PieceRequest.size else {
            let request = PieceRequest(file: file, status: status, extent: .whole, deflates: deflates)
            return try append(.file(entry, request, number: workers.ask(request)))
        }
        let deflates = deflates && compressibility.isCompressible(file, size: status.size)
        for begin in stride(from: 0, to: status.size, by: PieceRequest.size) {
            let range = begin..<min(begin + PieceRequest.size, status.size)
            let isLast = range.upperBound == status.size
            let request = PieceRequest(
                file: file, status: status, extent: .part(range, isLast: isLast), deflates: deflates)
            try append(.part(entry, request, range, isLast: isLast, number: workers.ask(request)))
        }
    }

    private static func next(_ walker: inout TreeWalker, _ root: FileName) throws(ZipError) -> TreeWalker.Event? {
        do throws(WalkError) { return try walker.next() } catch { throw ZipError(error, root: root.description) }
    }

    private func entry(_ path: [UInt8], _ status: FileStatus, size: Int) throws(ZipError) -> ZipEntry {
        guard path.count <= Int(UInt16.max) else { throw .pathTooLong(path: String(decoding: path, as: UTF8.self)) }
        return ZipEntry(path: path, status: status, size: size, origin: origin)
    }

    // MARK: Writing entries

    /// Adds a step. Writes the oldest steps while those that wait exceed a limit.
    private mutating func append(_ step: Step) throws(ZipError) {
        if isCancelled() { throw .cancelled }
        steps.append(step)
        stepBytes += step.bytes
        while steps.count > Self.pendingSteps || stepBytes > Self.pendingBytes { try writeNext() }
    }

    private mutating func writeNext() throws(ZipError) {
        if isCancelled() { throw .cancelled }
        let step = steps.removeFirst()
        stepBytes -= step.bytes
        switch step {
        case .ready(let entry, let content):
            try write(entry, content)
        case .file(var entry, _, let number):
            let piece = try take(number, for: entry)
            entry.method = piece.method
            entry.size = piece.size
            entry.checksum = piece.checksum
            entry.compressedSize = piece.bytes.count
            try write(entry, piece.bytes)
            advance(by: piece.size)
        case .part(let entry, let request, let range, let isLast, let number):
            try writePart(entry, request, range, isLast: isLast, number)
        }
    }

    private func take(_ number: Int, for entry: ZipEntry) throws(ZipError) -> Piece {
        do throws(PieceError) { return try workers.take(number) } catch { throw error.atPath(entry.shownPath) }
    }

    private mutating func write(_ entry: ZipEntry, _ content: [UInt8]) throws(ZipError) {
        var entry = entry
        entry.offset = output.position
        try writing { (output: inout ArchiveFile) throws(Errno) in
            try output.append(entry.localHeader)
            try output.append(content)
        }
        complete(entry)
    }

    /// Writes a part of a large file. The file's header is written before the first part to reserve the space, and
    /// again when the file is complete.
    private mutating func writePart(
        _ begun: ZipEntry, _ request: PieceRequest, _ range: Range<Int>, isLast: Bool, _ number: Int
    ) throws(ZipError) {
        let piece = try take(number, for: begun)
        var entry = partial ?? begun
        if range.lowerBound == 0 {
            entry.offset = output.position
            entry.method = piece.method
            let header = entry.localHeader
            try writing { (output: inout ArchiveFile) throws(Errno) in try output.append(header) }
        }
        entry.checksum = Checksum.combined(entry.checksum, piece.checksum, secondLength: piece.size)
        entry.compressedSize += piece.bytes.count
        try writing { (output: inout ArchiveFile) throws(Errno) in try output.append(piece.bytes) }
        partial = entry
        advance(by: piece.size)
        if isLast { try completePartial(entry, request) }
    }

    private mutating func completePartial(_ whole: ZipEntry, _ request: PieceRequest) throws(ZipError) {
        var entry = whole
        partial = nil
        if entry.method == .deflated, entry.compressedSize >= entry.size { try store(&entry, request) }
        let status: FileStatus
        do throws(Errno) {
            status = try request.file.status()
        } catch {
            throw ZipError(error, path: entry.shownPath)
        }
        guard status.hasSameContent(as: request.status) else {
            throw .changedDuringArchiving(path: entry.shownPath)
        }
        try writing { (output: inout ArchiveFile) throws(Errno) in
            try output.replace(at: entry.offset, with: entry.localHeader)
        }
        complete(entry)
    }

    /// Writes a large file again uncompressed, because compression did not make it smaller.
    private mutating func store(_ entry: inout ZipEntry, _ request: PieceRequest) throws(ZipError) {
        let begin = entry.offset + entry.localHeader.count
        try writing { (output: inout ArchiveFile) throws(Errno) in try output.rewind(to: begin) }
        var checksum: UInt32 = 0
        for offset in stride(from: 0, to: entry.size, by: PieceRequest.size) {
            if isCancelled() { throw .cancelled }
            let range = offset..<min(offset + PieceRequest.size, entry.size)
            let part = PieceRequest(
                file: request.file, status: request.status, extent: .part(range, isLast: false), deflates: false)
            let piece = try take(workers.ask(part), for: entry)
            checksum = Checksum.combined(checksum, piece.checksum, secondLength: piece.size)
            try writing { (output: inout ArchiveFile) throws(Errno) in try output.append(piece.bytes) }
        }
        // The file was read twice, and must not have changed in between.
        guard checksum == entry.checksum else { throw .changedDuringArchiving(path: entry.shownPath) }
        entry.method = .stored
        entry.compressedSize = entry.size
    }

    private mutating func complete(_ entry: ZipEntry) {
        entry.appendCentralHeader(to: &directory)
        report.entries += 1
    }

    private mutating func advance(by count: Int) {
        report.bytes += count
        progress(report.bytes)
    }

    private mutating func writing(_ body: (inout ArchiveFile) throws(Errno) -> Void) throws(ZipError) {
        do throws(Errno) { try body(&output) } catch { throw ZipError(error, path: ".") }
    }

    // MARK: Ending

    /// Writes the remaining steps and the central directory.
    mutating func finish() throws(ZipError) -> ZipArchiver.Report {
        while !steps.isEmpty { try writeNext() }
        workers.stop()
        if isCancelled() { throw .cancelled }
        let offset = output.position
        let end = ZipEnd(entries: report.entries, directoryOffset: offset, directorySize: directory.count)
        let central = directory + end.bytes
        try writing { (output: inout ArchiveFile) throws(Errno) in
            try output.append(central)
            try output.flush()
        }
        report.archiveBytes = output.position - start
        return report
    }

    /// Stops the workers and truncates the output to its earlier length.
    mutating func discard() {
        workers.stop()
        steps.removeAll()
        output.discard()
    }
}

extension ZipEntry {
    fileprivate var shownPath: String { String(decoding: path, as: UTF8.self) }
}

extension Compressibility {
    fileprivate static func orZipError() throws(ZipError) -> Compressibility {
        do throws(Errno) { return try Compressibility() } catch { throw ZipError(error, path: ".") }
    }
}
