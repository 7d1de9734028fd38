import Glibc
import LinuxSystem
import Secrets

/// A file that only this user can read. The file is replaced atomically, and renamed if it is damaged. The functions
/// block on the file system.
struct PrivateFile: Sendable {
    let folder: FileDescriptor
    let name: FileName
    let report: @Sendable (SecretStoreReport) -> Void

    /// The maximum number of damaged versions of the file that are retained under other names.
    static let mostKept = 20

    /// The error for a file that exists but must not be used.
    struct Unusable: Error {}

    /// Reads the file, at most `limit` bytes and one more. A result that is longer than the limit shows that the file
    /// is too large. Returns `nil` if the file does not exist.
    ///
    /// - Throws: `Unusable` if the file belongs to another user, is not a regular file, or cannot be read. The reason
    ///   is passed to `report`.
    func read(limit: Int) throws(Unusable) -> SecretBytes? {
        do throws(Errno) {
            let file = try folder.open(entry: name, [.readOnly, .nonBlocking])
            let status = try file.status()
            guard status.kind == .regular, status.owner == geteuid() else { throw .notPermitted }
            if status.permissions & 0o077 != 0 {
                try retrying { fchmod(file.rawValue, 0o600) }
                report(.exposed("\(name)"))
            }
            return try SecretBytes(count: min(status.size, limit + 1)) { (memory) throws(Errno) in
                try Self.fill(memory, from: file)
            }
        } catch {
            switch error {
            case .noSuchFile: return nil
            case .tooManySymbolicLinks, .notPermitted: report(.foreign("\(name)"))
            default: report(.failed("\(name)", error))
            }
            throw Unusable()
        }
    }

    /// Fills the memory from the beginning of a file. If the file is shorter, the rest of the memory is not changed.
    private static func fill(_ memory: UnsafeMutableRawBufferPointer, from file: FileDescriptor) throws(Errno) {
        var rest = memory
        while !rest.isEmpty {
            let count = try file.read(into: rest)
            if count == 0 { return }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Renames the damaged file, so that it is never overwritten, and returns the new name.
    func setAside() throws(Unusable) -> String {
        do throws(Errno) {
            for number in 1...Self.mostKept {
                guard let kept = FileName("\(name).damaged-\(number)") else { throw .invalidArgument }
                do throws(Errno) {
                    try folder.rename(name, to: kept)
                } catch .fileExists {
                    continue
                }
                SecretStoreStep.setAside.reach()
                // Ignores errors: some file systems cannot flush a directory.
                try? folder.synchronize()
                return "\(kept)"
            }
            report(.tooManyDamaged("\(name)"))
        } catch {
            report(.failed("\(name)", error))
        }
        throw Unusable()
    }
}
