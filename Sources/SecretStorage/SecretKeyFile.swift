import LinuxSystem
import Secrets

/// The file of the key with which the items are encrypted. It is in a separate directory, so that a copy of the items'
/// directory alone, such as one in a backup, cannot be decrypted.
struct SecretKeyFile: Sendable {
    private let file: PrivateFile

    private static let name = FileName("passwords.key")

    init(in folder: FileDescriptor, report: @escaping @Sendable (SecretStoreReport) -> Void) throws(Errno) {
        guard let name = Self.name else { throw .invalidArgument }
        file = PrivateFile(folder: folder, name: name, report: report)
    }

    enum Contents {
        case none
        case key(SecretBytes)
        case damaged
    }

    func read() throws(PrivateFile.Unusable) -> Contents {
        guard let bytes = try file.read(limit: Sealing.keyLength) else { return .none }
        return bytes.count == Sealing.keyLength ? .key(bytes) : .damaged
    }

    /// Creates a key and writes it. The key is on disk when this function returns.
    ///
    /// - Throws: EEXIST if the key file exists.
    func make() throws(Errno) -> SecretBytes {
        let key: SecretBytes
        do throws(Sealing.Failed) { key = try Sealing.makeKey() } catch { throw .outOfMemory }
        var staged = try StagedFile(in: file.folder)
        try key.withBytes { (bytes) throws(Errno) in try staged.descriptor.writeAll(bytes) }
        try staged.descriptor.synchronize()
        SecretStoreStep.keyWritten.reach()
        try staged.publish(as: file.name)
        SecretStoreStep.keyNamed.reach()
        // Ignores errors: some file systems cannot flush a directory.
        try? file.folder.synchronize()
        return key
    }

    /// Returns the key. Creates a key if there is none. Renames a damaged file first.
    func readOrMake() throws(Errno) -> SecretBytes {
        do throws(PrivateFile.Unusable) {
            switch try read() {
            case .key(let key): return key
            case .none: break
            case .damaged: try setAside()
            }
        } catch {
            throw .inputOutput
        }
        return try make()
    }

    /// Removes the key, if there is one. The removal is flushed to disk, so that the file stays removed after a crash.
    func remove() {
        do throws(Errno) {
            try file.folder.removeFile(file.name)
            SecretStoreStep.keyRemoved.reach()
            // Ignores errors: some file systems cannot flush a directory.
            try? file.folder.synchronize()
        } catch .noSuchFile {
        } catch {
            file.report(.failed("\(file.name)", error))
        }
    }

    /// Renames a damaged key file, and reports this.
    func setAside() throws(PrivateFile.Unusable) {
        file.report(.keyDamaged(keptAs: try file.setAside()))
    }
}
