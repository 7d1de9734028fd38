import FileProvider
import Foundation
import LinuxSystem

/// Functions that copy and move the documents that a program exports, or that the user picked for a program. All
/// functions block.
enum DocumentTransfer {
    /// Copies picked items into a new directory in the temporary directory. The copies belong to the program.
    static func copyToInbox(_ urls: [URL]) throws -> [URL] {
        let inbox = FileManager.default.temporaryDirectory.appendingPathComponent("Inbox-" + UUID().uuidString)
        try FileManager.default.createDirectory(
            at: inbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            return try urls.map { try copy($0, into: inbox, named: $0.path.lastPathName) }
        } catch {
            try? FileManager.default.removeItem(at: inbox)
            throw error
        }
    }

    /// Copies or moves files to the places that the user picked. For a single file, the first place is the file's new
    /// URL. For several files, it is the folder that receives them. Returns the new URLs.
    static func export(_ sources: [URL], to places: [URL], isCopy: Bool) throws -> [URL] {
        guard let place = places.first else { return [] }
        guard let source = sources.first, sources.count == 1 else {
            return try sources.map { try transfer($0, into: place, named: $0.path.lastPathName, isCopy: isCopy) }
        }
        // The user has picked the file itself.
        if let own = try? FileStatus.of(source.path).identity, own == (try? FileStatus.of(place.path).identity) {
            return [place]
        }
        // The user has confirmed that an existing file is replaced. The existing file is replaced only after the new
        // one is complete, and the source is removed only after that.
        let new = try copy(source, into: place.deletingLastPathComponent(), named: place.path.lastPathName)
        if new.path.lastPathName != place.path.lastPathName, rename(new.path, place.path) != 0 {
            let reason = Errno.current
            try? FileManager.default.removeItem(at: new)
            throw DocumentPickerError("“\(place.path.lastPathName)” cannot be replaced: \(reason)")
        }
        if !isCopy { try FileManager.default.removeItem(at: source) }
        return [place]
    }

    /// Copies or moves an item into a folder. If the name is taken, adds a number to it. Returns the item's new URL.
    static func transfer(_ source: URL, into folder: URL, named name: String, isCopy: Bool) throws -> URL {
        let new = try copy(source, into: folder, named: name)
        if !isCopy { try FileManager.default.removeItem(at: source) }
        return new
    }

    /// The maximum number of names to try if names are taken.
    private static let mostNumbers = 1_000

    private static func copy(_ source: URL, into folder: URL, named name: String) throws -> URL {
        let directory = try FileDescriptor.open(folder.path, .readOnly)
        let file = try FileDescriptor.open(source.path, .readOnly)
        let isFolder = try file.status().kind == .directory
        var number = 1
        while true {
            let candidate = number == 1 ? name : ConflictName.inserting(" \(number)", into: name)
            do throws(CopyError) {
                if isFolder {
                    try TreeCopier.copy(file, into: directory, named: candidate)
                } else {
                    try FileCopier.copy(file, into: directory, named: candidate)
                }
                return folder.appendingPathComponent(candidate, isDirectory: isFolder)
            } catch .alreadyExists where number < mostNumbers {
                number += 1
            } catch {
                throw error
            }
        }
    }
}
