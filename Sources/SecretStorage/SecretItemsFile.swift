import Conduit
import LinuxSystem
import Secrets

/// The encrypted file that contains all items of a store.
struct SecretItemsFile: Sendable {
    private let file: PrivateFile

    private static let name = FileName("passwords.sealed")
    /// The first bytes of the file. The byte that follows is the version.
    private static let magic: [UInt8] = Array("PVYSECR".utf8)
    /// The version of an items file whose key is stored in the key file.
    private static let versionWithFile: UInt8 = 1
    /// The version of an items file whose key is stored in a keyring. The identifier of the key follows the version.
    private static let versionWithKeyring: UInt8 = 2
    /// The maximum number of bytes that the file contains in addition to the encoded items.
    private static let overhead = 4096

    init(in folder: FileDescriptor, report: @escaping @Sendable (SecretStoreReport) -> Void) throws(Errno) {
        guard let name = Self.name else { throw .invalidArgument }
        file = PrivateFile(folder: folder, name: name, report: report)
    }

    enum Contents {
        case none
        case sealed(SecretBytes, keyIn: KeyPlace)
    }

    /// Reads the file, without decrypting it.
    ///
    /// - Throws: `Unusable`, also if a later version of this program wrote the file. The reason is passed to `report`.
    func read(_ limits: SecretLimits) throws(PrivateFile.Unusable) -> Contents {
        guard let bytes = try file.read(limit: limits.bytes + Self.overhead) else { return .none }
        let (version, identifier) = bytes.withBytes { bytes -> (UInt8, KeyIdentifier?) in
            let rest = bytes.dropFirst(Self.magic.count)
            // A file without the magic bytes is treated as a file of the first version. It cannot be decrypted, and is
            // then set aside as damaged.
            guard bytes.starts(with: Self.magic), let version = rest.first else { return (Self.versionWithFile, nil) }
            return (version, KeyIdentifier(rest.dropFirst().prefix(KeyIdentifier.length)))
        }
        if version > Self.versionWithKeyring {
            file.report(.newerVersion("\(file.name)"))
            throw PrivateFile.Unusable()
        }
        guard version == Self.versionWithKeyring, let identifier else { return .sealed(bytes, keyIn: .file) }
        return .sealed(bytes, keyIn: .keyring(identifier))
    }

    private static func header(_ place: KeyPlace) -> [UInt8] {
        switch place {
        case .file: magic + [versionWithFile]
        case .keyring(let identifier): magic + [versionWithKeyring] + identifier.bytes
        }
    }

    /// Decrypts the items. Returns `nil` if the file is damaged.
    static func open(_ sealed: SecretBytes, key: PlacedKey) -> SecretTable? {
        Sealing.open(sealed, header: header(key.place), key: key.bytes)?.withBytes { bytes in
            var decoder = MessageDecoder(bytes)
            return try? SecretTable.read(from: &decoder)
        }
    }

    /// Replaces the file. If the machine crashes, the file contains either all of the old items or all of the new
    /// items.
    func write(_ table: SecretTable, key: PlacedKey) throws(Errno) {
        let sealed: SecretBytes
        do throws(Sealing.Failed) {
            sealed = try Sealing.seal(Self.encoded(table), header: Self.header(key.place), key: key.bytes)
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
        // The memory suffices for the whole table. Otherwise, the encoder would move to memory of its own, which it
        // does not erase.
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

    /// Renames the damaged file, and passes a report to `report`.
    ///
    /// - Parameter reason: returns the report, given the file's new name.
    func setAside(_ reason: (String) -> SecretStoreReport) throws(PrivateFile.Unusable) {
        file.report(reason(try file.setAside()))
    }
}
