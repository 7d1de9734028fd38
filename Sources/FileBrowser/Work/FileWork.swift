import CLinux
import FileProvider
import Glibc
import LinuxSystem

/// Changes of files through the mount. They block, and therefore run on separate threads.
enum FileWork {
    /// Creates a folder. If the name is taken, appends a number. Returns the folder's name.
    static func makeFolder(named name: String, in folder: String) async throws(BrowserError) -> String {
        try await HandlerThreads.shared.value { () throws(BrowserError) in
            var number = 1
            while true {
                let candidate = number == 1 ? name : "\(name) \(number)"
                do throws(Errno) {
                    try retrying { mkdir(folder + "/" + candidate, 0o777) }
                    return candidate
                } catch .fileExists where number < mostNumbers {
                    number += 1
                } catch {
                    throw failure(error, "The folder cannot be made")
                }
            }
        }
    }

    /// Renames or moves an item within a mount. Fails if the new name is taken.
    static func move(_ path: String, to newPath: String) async throws(BrowserError) {
        try await HandlerThreads.shared.value { () throws(BrowserError) in
            do throws(Errno) {
                try retrying { clinux_renameat2(AT_FDCWD, path, AT_FDCWD, newPath, clinux_rename_noreplace) }
            } catch .fileExists {
                throw BrowserError("There is a “\(newPath.lastPathName)” already. Choose another name")
            } catch {
                throw failure(error, "“\(path.lastPathName)” cannot be renamed or moved")
            }
        }
    }

    /// Copies an item into a folder, under a name that is not taken. Returns that name.
    ///
    /// - Parameter progress: called on another thread with the number of copied bytes and the total.
    static func copy(
        _ path: String, into folder: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(BrowserError) -> String {
        let isCancelled = Lock(false)
        let result: Result<String, BrowserError> = await withTaskCancellationHandler {
            await HandlerThreads.shared.value {
                Result { () throws(BrowserError) in
                    try copyNow(path, into: folder, progress) { isCancelled.withLock { $0 } }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        return try result.get()
    }

    static func copyNow(
        _ path: String, into folder: String, _ progress: @escaping (Int64, Int64) -> Void, isCancelled: () -> Bool
    ) throws(BrowserError) -> String {
        let name = path.lastPathName
        let words = "“\(name)” was not copied"
        let directory, source: FileDescriptor
        let isFolder: Bool
        do throws(Errno) {
            directory = try FileDescriptor.open(folder, .readOnly)
            source = try FileDescriptor.open(path, .readOnly)
            isFolder = try source.status().kind == .directory
        } catch {
            throw failure(error, words)
        }
        var number = 0
        while true {
            let candidate = number == 0 ? name : copyName(name, number)
            do throws(CopyError) {
                if isFolder {
                    try TreeCopier.copy(
                        source, into: directory, named: candidate,
                        progress: { progress(Int64($0), Int64($1)) }, isCancelled: isCancelled)
                } else {
                    try FileCopier.copy(
                        source, into: directory, named: candidate,
                        progress: { progress(Int64($0), Int64($1)) }, isCancelled: isCancelled)
                }
                return candidate
            } catch .alreadyExists where number < mostNumbers {
                number += 1
            } catch .cancelled {
                throw BrowserError("It was cancelled", kind: .cancelled)
            } catch .noSpace {
                throw failure(.noSpace, words)
            } catch {
                throw BrowserError("\(words): \(error)")
            }
        }
    }

    /// The maximum number of names that are tried.
    private static let mostNumbers = 1_000

    private static func copyName(_ name: String, _ number: Int) -> String {
        ConflictName.inserting(number == 1 ? " (copy)" : " (copy \(number))", into: name)
    }

    private static func failure(_ error: Errno, _ words: String) -> BrowserError {
        switch error {
        case .noSpace, .quotaExceeded: BrowserError("\(words): the disk is full. Free up space, and try again")
        case .permissionDenied, .notPermitted: BrowserError("\(words): the service does not permit it")
        case Errno(rawValue: EROFS): BrowserError("\(words): this place can only be read")
        case .noSuchFile: BrowserError("\(words): it does not exist any more", kind: .noSuchItem, remedy: .reload)
        case .notConnected, .connectionAborted:
            BrowserError("\(words): the mount does not answer", kind: .disconnected, remedy: .reconnect)
        default: BrowserError("\(words): \(error)")
        }
    }
}

/// The data needed to undo a change of the user.
enum UndoStep: Sendable {
    /// Items that were moved to the trash.
    case trashed([BrowserItem])
    /// Moves from one path of a mount to another.
    case moved([(from: String, to: String)])
    /// Several changes, in the order in which they were made.
    indirect case several([UndoStep])
}

/// Items that wait to be pasted in the window.
package struct Clipboard: Sendable {
    package let items: [BrowserItem]
    /// Whether the items move when they are pasted.
    package let isCut: Bool
}
