import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers
import ZipArchive

/// The executor of a bridging plan: it converts a supply to the form that the consumer requested.
///
/// It runs on the calling thread and blocks as long as bytes have to be moved. Its files are in a temporary directory
/// that is removed when the ``Arrival`` is released, so a failed or cancelled load leaves nothing behind.
struct Bridge {
    let typeIdentifier: String
    /// The type of the representation if it is undeclared but was registered as a `UTType`; otherwise `nil`.
    let contentType: UTType?
    let suggestedName: String?
    /// The function that gets the finished fraction, from 0 to 1.
    let report: @Sendable (Double) -> Void
    /// The function that returns whether the load was cancelled. It is called between two pieces of the work.
    let isCancelled: @Sendable () -> Bool
    /// The reader that waits until no process writes the file.
    var coordination = CoordinatedReading()

    /// The maximum size in bytes of a file that is read into memory. A larger file is copied to an unnamed file that is
    /// mapped. Therefore the size of a file is limited by the disk and not by memory. If the file system can clone the
    /// file, the copy costs nothing.
    private static let largestRead = 1 << 20

    /// The number of bytes that are written between two checks for cancellation.
    private static let pieceSize = 8 << 20

    func deliver(_ supply: Supply, as delivery: Delivery) throws -> Arrival {
        // The lease of the provider's file ends when this function returns. The consumer's completion handler runs
        // later and must not delay the provider.
        defer { supply.file?.lease?.end() }
        guard let file = supply.file else { return try carryOut(supply, as: delivery) }
        return try coordination.read(file) { try carryOut(.file($0), as: delivery) }
    }

    private func carryOut(_ supply: Supply, as delivery: Delivery) throws -> Arrival {
        let plan = BridgingPlan.plan(
            for: BridgingPlan.Offer(supply), delivery: delivery, isOriginalReachable: supply.file?.isReachable ?? false)
        switch (plan, supply) {
        case (.openOriginal, .file(let file)):
            guard let path = file.path else { throw ItemProviderError.unusableFile("The original has no path") }
            return .file(ArrivedFile(url: URL(fileURLWithPath: path), isInPlace: true, folder: nil))
        case (.copyFile, .file(let file)): return try copyFile(file)
        case (.copyTree, .file(let file)): return try copyTree(file)
        case (.readFile, .file(let file)): return .data(try read(file))
        case (.zipDirectory, .file(let file)): return .data(try zip(file))
        case (.writeDataToFile, .bytes(let data)): return try write(data)
        case (.writeDataToFile, .memory(let file, let size)): return try write(try Self.data(file, size: size))
        case (.handOverData, .bytes(let data)): return .data(data)
        case (.handOverData, .memory(let file, let size)): return .data(try Self.data(file, size: size))
        default: throw ItemProviderError.make(.unknownError, "The supply does not fit the plan \(plan)")
        }
    }

    /// Maps a sealed memory file. The cost does not depend on the size: pages are read when they are touched.
    private static func data(_ file: FileDescriptor, size: Int) throws -> Data {
        guard MemoryFile.isSealed(file), try file.status().size == size else {
            throw ItemProviderError.make(
                .itemUnavailableError, "The data arrived in memory that the sender can still change")
        }
        return try data(mapping: file, size: size)
    }

    private static func data(mapping file: FileDescriptor, size: Int) throws -> Data {
        // The mapping is writable because `Data` with a single owner changes its bytes in place.
        let mapping = try Mapping(file, size: size, isWritable: true)
        guard let base = mapping.bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: size,
            deallocator: .custom { _, _ in withExtendedLifetime(mapping) {} })
    }

    private func reportBytes(_ completed: Int, _ total: Int) {
        if total > 0 { report(Double(completed) / Double(total)) }
    }

    private func name(of file: SuppliedFile?) -> String {
        ItemName.name(
            suggested: suggestedName, file: file?.name, typeIdentifier: typeIdentifier, contentType: contentType)
    }

    private func arrival(_ name: String, in folder: LoadFolder, isDirectory: Bool) -> Arrival {
        let url = URL(fileURLWithPath: "\(folder.path)/\(name)", isDirectory: isDirectory)
        return .file(ArrivedFile(url: url, isInPlace: false, folder: folder))
    }
}

// MARK: - Files

extension Bridge {
    private func copyFile(_ file: SuppliedFile) throws -> Arrival {
        let folder = try LoadFolder()
        let name = name(of: file)
        try FileCopier.copy(
            file.descriptor, into: folder.directory, named: name, origin: file.origin, progress: reportBytes,
            isCancelled: isCancelled)
        return arrival(name, in: folder, isDirectory: false)
    }

    private func copyTree(_ file: SuppliedFile) throws -> Arrival {
        let folder = try LoadFolder()
        let name = name(of: file)
        try TreeCopier.copy(
            file.descriptor, into: folder.directory, named: name, origin: file.origin, progress: reportBytes,
            isCancelled: isCancelled)
        return arrival(name, in: folder, isDirectory: true)
    }

    private func write(_ data: Data) throws -> Arrival {
        let folder = try LoadFolder()
        let name = name(of: nil)
        let file = try folder.directory.open(name, [.writeOnly, .create, .exclusive], permissions: 0o600)
        var written = 0
        for region in data.regions {
            try region.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    if isCancelled() { throw ItemProviderError.cancelled() }
                    let piece = rest.prefix(Self.pieceSize)
                    try file.writeAll(UnsafeRawBufferPointer(rebasing: piece))
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
                    written += piece.count
                    report(Double(written) / Double(data.count))
                }
            }
        }
        return arrival(name, in: folder, isDirectory: false)
    }
}

// MARK: - Data

extension Bridge {
    private func read(_ file: SuppliedFile) throws -> Data {
        let status = try file.descriptor.status()
        // A file of another kind, such as a device, may have no end.
        guard status.kind == .regular else {
            throw ItemProviderError.unusableFile("The promised file is not a regular file")
        }
        let size = status.size
        let name = name(of: file)
        if size <= Self.largestRead, let data = try readIntoMemory(file.descriptor, named: name, size: size) {
            return data
        }
        // The copy is unlinked together with the directory, but its bytes exist as long as the mapping.
        let folder = try LoadFolder()
        try FileCopier.copy(
            file.descriptor, into: folder.directory, named: name, origin: file.origin, progress: reportBytes,
            isCancelled: isCancelled)
        let copy = try folder.directory.open(name, [.readOnly, .noFollow])
        return try Self.data(mapping: copy, size: try copy.status().size)
    }

    /// Reads a file that is small, or whose size the file system does not report, as in `/proc`.
    ///
    /// - Returns: `nil` if a file without a size proves to be too large for memory, or to have no end.
    private func readIntoMemory(_ file: FileDescriptor, named name: String, size: Int) throws -> Data? {
        var data = Data(count: max(size, 4096))
        var filled = 0
        while true {
            if isCancelled() { throw ItemProviderError.cancelled() }
            if filled == data.count {
                if filled > size && size > 0 { break }
                guard filled < Self.largestRead else { return nil }
                data.count *= 2
            }
            let count = try data.withUnsafeMutableBytes { buffer throws(Errno) in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: filled)
            }
            if count == 0 { break }
            filled += count
        }
        guard size == 0 || filled == size, try file.status().size == size else {
            throw CopyError.changedDuringCopy(path: name)
        }
        data.count = filled
        return data
    }

    /// Zips a directory to an unnamed file that is mapped, because the archive may be larger than memory.
    private func zip(_ file: SuppliedFile) throws -> Data {
        let folder = try LoadFolder()
        let archive = try StagedFile(in: folder.directory).descriptor
        try ZipArchiver.archive(
            directory: file.descriptor, named: name(of: file), to: archive,
            options: ZipArchiver.Options(origin: file.origin), shouldStore: CompressedTypes.contain,
            progress: reportBytes, isCancelled: isCancelled)
        return try Self.data(mapping: archive, size: try archive.status().size)
    }
}

extension Supply {
    var file: SuppliedFile? {
        if case .file(let file) = self { return file }
        return nil
    }
}

/// The types of compressed files. Compressing them again would take time without an effect.
enum CompressedTypes {
    private static let types: [UTType] = [
        .archive, .jpeg, .png, .gif, .webP, .heic, .heif, .movie, .mp3, .mpeg4Audio, .zip, .gzip, .bz2, .epub,
    ]

    /// Subtypes of the types above that are not compressed after all.
    private static let exceptions: [UTType] = [.tarArchive, .bmp, .aiff, .wav]

    /// Whether the extension in a file's name belongs to a compressed type.
    @Sendable static func contain(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let type = UTType(filenameExtension: String(name[name.index(after: dot)...])), type.isDeclared
        else { return false }
        return types.contains { type.conforms(to: $0) } && !exceptions.contains { type.conforms(to: $0) }
    }
}
