import LinuxSystem
import SecretStorage
import Secrets

/// A keyring of files in a directory, each with the identifier of its key as its name.
struct FolderKeyring: Keyring {
    let path: String

    private func read(_ name: String) throws(KeyringError) -> SecretBytes? {
        do throws(Errno) {
            let bytes = try FileDescriptor.open(path + "/" + name, [.readOnly]).readToEnd(limit: 64)
            return bytes.withUnsafeBytes { SecretBytes(copying: $0) }
        } catch .noSuchFile {
            return nil
        } catch {
            throw .failed("\(error)")
        }
    }

    func key(_ identifier: KeyIdentifier) throws(KeyringError) -> SecretBytes? { try read(identifier.text) }

    func anyKey() throws(KeyringError) -> SecretBytes? {
        guard let entries = try? FileDescriptor.open(path, [.readOnly, .directory]).entries() else {
            throw .failed("it is gone")
        }
        guard let entry = entries.first else { return nil }
        return try read("\(entry.name)")
    }

    func store(_ key: SecretBytes, as identifier: KeyIdentifier) throws(KeyringError) {
        do throws(Errno) {
            let file = try FileDescriptor.open(path + "/" + identifier.text, [.writeOnly, .create, .exclusive])
            try key.withBytes { (bytes) throws(Errno) in try file.writeAll(bytes) }
        } catch {
            throw .failed("\(error)")
        }
    }

    func remove(_ identifier: KeyIdentifier) throws(KeyringError) {
        guard let name = FileName(identifier.text) else { throw .failed("no name") }
        do throws(Errno) {
            try FileDescriptor.open(path, [.readOnly, .directory]).removeFile(name)
        } catch {
            throw .failed("\(error)")
        }
    }
}
