import FileProviderWire
import Foundation
import Glibc
import LinuxSystem

/// A file that a provider receives. It is in a directory of its own, so that it may have any name.
///
/// The provider may move or clone the file. After the provider's reply, the caller removes the directory with
/// ``remove()``.
struct UploadFile {
    private let folder: String
    private let directory: FileDescriptor
    private let name: FileName
    let url: URL

    /// Creates the file's directory, without the file.
    ///
    /// - Parameter temporary: the directory for files in transfer between engine and provider.
    init(named name: String, in temporary: String) throws {
        guard let fileName = FileName(name) else { throw Errno.invalidArgument }
        self.name = fileName
        folder = temporary + "/" + UUID().uuidString
        url = URL(fileURLWithPath: folder + "/" + name, isDirectory: false)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            directory = try FileDescriptor.open(folder, [.readOnly, .directory])
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    /// Creates the file as a copy of `contents`, or as an empty file if `contents` is `nil`.
    ///
    /// - Parameter permissions: the mode, before the process's umask is applied.
    func fill(with contents: FileDescriptor?, permissions: mode_t = 0o600, _ engineRequest: EngineRequest) throws {
        guard let contents else {
            _ = try directory.createFile(name, permissions: permissions)
            return
        }
        try Self.copy(contents, into: directory, named: name.description, permissions: permissions, engineRequest)
    }

    /// Creates the file. For a ``FileProviderReadingContents``, makes `contents` available under the file's URL
    /// instead.
    ///
    /// - Returns: the size of the contents in bytes.
    func fill(
        with contents: FileDescriptor?, permissions: mode_t = 0o600, for replica: any NSFileProviderReplicatedExtension,
        _ engineRequest: EngineRequest
    ) throws -> Int64 {
        if let contents, replica is any FileProviderReadingContents {
            FileProviderContents.hand(contents, at: url.path)
            return Int64(try contents.status().size)
        }
        try fill(with: contents, permissions: permissions, engineRequest)
        return Int64(try FileStatus.of(url.path).size)
    }

    /// Creates the file as a symbolic link.
    func makeLink(to target: String) throws(Errno) { try directory.makeLink(name, target: Array(target.utf8)) }

    func remove() {
        FileProviderContents.takeBack(url.path)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Copies a file. Progress of the copy restarts the request's time limit. The copy stops when the request is over.
    /// The copy may change the file offset of `contents`, which the engine does not use.
    static func copy(
        _ contents: FileDescriptor, into folder: FileDescriptor, named name: String, permissions: mode_t? = nil,
        _ engineRequest: EngineRequest
    ) throws(CopyError) {
        try FileCopier.copy(
            contents, into: folder, named: name, permissions: permissions, movesPosition: true,
            progress: { completed, total in engineRequest.advance(completed: Int64(completed), total: Int64(total)) },
            isCancelled: { engineRequest.over != nil })
    }

    /// Returns the failure for a file that could not be written: the reason why the request is over, `noSpace`, or a
    /// transient failure.
    static func failure(_ error: any Error, _ engineRequest: EngineRequest) -> ProviderError {
        if let over = engineRequest.over { return over }
        if let failure = error as? ProviderError { return failure }
        if case CopyError.noSpace = error { return ProviderError(.noSpace, message: "\(error)") }
        let failure = ProviderError(error)
        switch failure.kind {
        // These errors are about our own temporary directory, not about the item.
        case .noSuchItem, .filenameCollision, .directoryNotEmpty:
            return ProviderError(.transient, message: failure.message)
        default: return failure
        }
    }
}
