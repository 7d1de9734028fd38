import LinuxSystem
import Secrets

/// The file with the key with which the items are encrypted. The file is in a separate directory. Therefore a copy of
/// only the items' directory, for example in a backup, cannot be decrypted.
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

    /// Creates a key and writes it to the file. The file is flushed to disk when this function returns.
    ///
    /// - Throws: `EEXIST` if the key file exists already.
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

    /// Returns the key in the file. If the file is damaged, renames it. If no usable file exists, creates a key.
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

    /// Removes the key file if it exists. The removal is flushed to disk, so that the file stays removed after a crash.
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

    /// Renames the damaged key file, and passes a report to `report`.
    func setAside() throws(PrivateFile.Unusable) {
        file.report(.keyDamaged(keptAs: try file.setAside()))
    }
}
