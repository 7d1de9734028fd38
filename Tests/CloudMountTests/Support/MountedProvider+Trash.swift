import FileTesting
import Glibc
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

/// The trash of a mount, as file managers use it.
extension MountedProvider {
    /// The name of the user's trash in the mount.
    static var trashName: String { ".Trash-\(getuid())" }

    func trash(_ relative: String) -> String { Self.trashName + "/" + relative }

    func rename(_ relative: String, to other: String) throws(Errno) {
        try retrying { Glibc.rename(self(relative), self(other)) }
    }

    func makeDirectory(_ relative: String) throws(Errno) { try retrying { mkdir(self(relative), 0o700) } }

    func removeFile(_ relative: String) throws(Errno) { try retrying { unlink(self(relative)) } }

    func removeDirectory(_ relative: String) throws(Errno) { try retrying { rmdir(self(relative)) } }

    func exists(_ relative: String) -> Bool { (try? status(relative)) != nil }

    /// Waits until the mount shows the trash, which it does once the provider has listed it.
    func waitForTrash(at location: SourceLocation = #_sourceLocation) {
        wait(until: { exists(Self.trashName) }, "the mount does not show the trash", at: location)
    }

    /// Moves an item to the trash as a file manager does, which first creates the trash information file.
    func trash(_ relative: String, as name: String, note: String = "[Trash Info]\n") throws {
        let file = try open(
            trash("info/" + name + ".trashinfo"), [.writeOnly, .create, .exclusive], permissions: 0o600)
        try Array(note.utf8).withUnsafeBytes { try file.writeAll($0) }
        try rename(relative, to: trash("files/" + name))
    }

    /// Renames an item in the trash, or moves it out of the trash; see ``patiently(at:_:)``.
    func renamePatiently(_ path: String, to newPath: String, at location: SourceLocation = #_sourceLocation) throws {
        try patiently(at: location) { try rename(path, to: newPath) }
    }

    /// Calls a function that moves an item out of the trash or removes it there. On a busy machine the mount may reply
    /// that the item is busy, because the provider has not replied in time. The call is then repeated. The provider's
    /// work continues meanwhile, so that the item may be gone by the next call.
    func patiently(at location: SourceLocation = #_sourceLocation, _ call: () throws -> Void) throws {
        let busy = Errno(rawValue: EBUSY)
        guard var error = failure(call) else { return }
        guard error == busy else { throw error }
        wait(
            until: {
                guard let next = failure(call) else {
                    error = .noSuchFile
                    return true
                }
                error = next
                return error != busy
            }, "the item in the trash stays busy", at: location)
        if error != .noSuchFile { throw error }
    }

    /// The identifiers of the items in the provider's trash.
    var trashed: [String] {
        provider.requests.compactMap { if case .trash(let identifier) = $0 { identifier } else { nil } }
            .filter { provider.item(of: $0)?.isInTrash == true }
    }
}
