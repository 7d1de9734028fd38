import Conduit
import LinuxSystem
import Secrets

/// The encrypted file of all items.
struct SecretItemsFile: Sendable {
    private let file: PrivateFile

    private static let name = FileName("passwords.sealed")
    /// The first bytes of the file. The last of them is the version.
    private static let header: [UInt8] = Array("PVYSECR".utf8) + [1]
    /// The bytes that a file exceeds the items by, and more.
    private static let overhead = 4096

    init(in folder: FileDescriptor, report: @escaping @Sendable (SecretStoreReport) -> Void) throws(Errno) {
        guard let name = Self.name else { throw .invalidArgument }
        file = PrivateFile(folder: folder, name: name, report: report)
    }

    enum Contents {
        case none
        case sealed(SecretBytes)
    }

    /// Reads the file, without decrypting it.
    ///
    /// - Throws: `Unusable` if a later version wrote it, too, which is reported.
    func read(_ limits: SecretLimits) throws(PrivateFile.Unusable) -> Contents {
        guard let bytes = try file.read(limit: limits.bytes + Self.overhead) else { return .none }
        let magic = Self.header.dropLast()
        let isNewer = bytes.withBytes { bytes in
            bytes.count > magic.count && bytes.starts(with: magic) && bytes[magic.count] > Self.header[magic.count]
        }
        if isNewer {
            file.report(.newerVersion("\(file.name)"))
            throw PrivateFile.Unusable()
        }
        return .sealed(bytes)
    }

    /// Decrypts the items; `nil` if the file is damaged.
    static func open(_ sealed: SecretBytes, key: SecretBytes) -> SecretTable? {
        Sealing.open(sealed, header: header, key: key)?.withBytes { bytes in
            var decoder = MessageDecoder(bytes)
            return try? SecretTable.read(from: &decoder)
        }
    }

    /// Replaces the file. After a crash it has either the old items or the new ones, each complete.
    func write(_ table: SecretTable, key: SecretBytes) throws(Errno) {
        let sealed: SecretBytes
        do throws(Sealing.Failed) {
            sealed = try Sealing.seal(Self.encoded(table), header: Self.header, key: key)
        } catch {
            throw .outOfMemory
        }
        var staged = try StagedFile(in: file.folder, permissions: 0o600)
        SecretStoreStep.itemsStaged.reach()
        try sealed.withBytes { (bytes) throws(Errno) in try staged.descriptor.writeAll(bytes) }
        try staged.descriptor.synchronize()
        SecretStoreStep.itemsWritten.reach()
        try staged.replace(file.name)
        SecretStoreStep.itemsReplaced.reach()
    }

    private static func encoded(_ table: SecretTable) -> SecretBytes {
        // Sufficient memory, so that the encoder moves to no memory of its own, which it would not erase.
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: table.byteCount, alignment: 16)
        defer {
            SecretBytes.erase(scratch)
            scratch.deallocate()
        }
        var encoder = MessageEncoder(scratch: scratch)
        table.write(to: &encoder)
        var bytes = encoder.bytes
        defer { bytes.withUnsafeMutableBytes { SecretBytes.erase($0) } }
        return bytes.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// Sets a damaged file aside and reports that.
    ///
    /// - Parameter reason: makes the report from the file's new name.
    func setAside(_ reason: (String) -> SecretStoreReport) throws(PrivateFile.Unusable) {
        file.report(reason(try file.setAside()))
    }
}
