import Foundation
import Glibc
import LinuxSystem

/// A file that a provider is handed, in a folder of its own, so that it may have any name.
///
/// The provider may move it away or clone it; what is left is removed when it has answered.
struct FileOnItsWay {
    private let folder: String
    private let directory: FileDescriptor
    private let name: FileName
    let url: URL

    /// Makes the folder.
    ///
    /// - Parameter temporary: the folder for such files.
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

    /// Makes it, with contents or empty.
    func fill(with contents: FileDescriptor?, isExecutable: Bool, _ question: Question) throws {
        guard let contents else {
            _ = try directory.createFile(name, permissions: 0o600)
            return
        }
        try Self.copy(
            contents, into: directory, named: name.description, permissions: isExecutable ? 0o700 : nil, question)
    }

    /// Makes it, as a symbolic link.
    func makeLink(to target: String) throws(Errno) { try directory.makeLink(name, target: Array(target.utf8)) }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Copies a file until the question is over; progress gives client code more time. The sender does not use the file's position,
    /// so the copy may move it.
    static func copy(
        _ contents: FileDescriptor, into folder: FileDescriptor, named name: String, permissions: mode_t? = nil,
        _ question: Question
    ) throws(CopyError) {
        try FileCopier.copy(
            contents, into: folder, named: name, permissions: permissions, movesPosition: true,
            progress: { completed, total in question.advance(completed: Int64(completed), total: Int64(total)) },
            isCancelled: { question.over != nil })
    }

    /// Why a file could not be put to its place: the question is over, or there is no room, or something that may pass.
    static func failure(_ error: any Error, _ question: Question) -> ProviderFailure {
        if let over = question.over { return over }
        if let failure = error as? ProviderFailure { return failure }
        if case CopyError.noSpace = error { return ProviderFailure(.noSpace, message: "\(error)") }
        let failure = ProviderFailure(error)
        switch failure.kind {
        // That a folder of ours is not there, or something is in it, says nothing of the item.
        case .noSuchItem, .filenameCollision, .directoryNotEmpty:
            return ProviderFailure(.transient, message: failure.message)
        default: return failure
        }
    }
}
