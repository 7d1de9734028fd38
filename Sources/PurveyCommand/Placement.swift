import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// Stores loaded items at their destination, completely or not at all.
enum Placement {
    /// Writes data to a file. A regular file that PATH names is replaced when the new file is complete. A device or
    /// pipe that PATH names is written to.
    ///
    /// - Returns: the path of the file.
    @discardableResult
    static func put(
        _ data: Data, at path: String, named name: String, replacing replacement: Replacement = Replacement(),
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> String {
        try atPlace(path, name, replacement) { directory, final, replaces in
            if replaces, let sink = try Sink(final, in: directory, isCancelled: isCancelled) {
                return try data.withUnsafeBytes { bytes in try sink.write(bytes) }
            }
            if replaces { try requireNoDirectory(final, in: directory) }
            var staged = try StagedFile(in: directory, replacing: replaces)
            try data.withUnsafeBytes { bytes in try staged.descriptor.writeAll(bytes) }
            // The user's umask determines the permissions of the file, as for files of other programs.
            let mask = CreationMask.current
            try retrying { fchmod(staged.descriptor.rawValue, 0o666 & ~mask) }
            if replaces { try staged.replace(final, durably: false) } else { try staged.publish(as: final) }
        }
    }

    /// Moves a file or directory that this process owns. A regular file that PATH names is replaced. A directory is not
    /// replaced. A device or pipe is written to.
    ///
    /// - Parameters:
    ///   - replacement: the files that may be replaced in a directory.
    ///   - report: called with the completed fraction, from 0 to 1, if the item must be copied to another file
    ///     system.
    ///   - isCancelled: called between pieces of such a copy.
    /// - Returns: the path of the item.
    @discardableResult
    static func move(
        _ source: URL, to path: String, replacing replacement: Replacement = Replacement(),
        report: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws -> String {
        let progress = { (completed: Int, total: Int) in
            if total > 0 { report(Double(completed) / Double(total)) }
        }
        return try atPlace(path, source.path.lastPathName, replacement) { directory, final, replaces in
            let file = try FileDescriptor.open(source.path, [.readOnly, .noFollow])
            let isDirectory = try file.status().kind == .directory
            if isDirectory, (try? directory.status(of: final)) != nil { throw Errno.fileExists }
            if replaces, let sink = try Sink(final, in: directory, isCancelled: isCancelled) {
                return try Data(contentsOf: source, options: .alwaysMapped).withUnsafeBytes { try sink.write($0) }
            }
            if try rename(source, isDirectory: isDirectory, to: final, in: directory, replaces: replaces) { return }
            if isDirectory {
                try TreeCopier.copy(
                    file, into: directory, named: final.description, origin: .peer, progress: progress,
                    isCancelled: isCancelled)
            } else {
                if replaces { try requireNoDirectory(final, in: directory) }
                try FileCopier.copy(
                    file, into: directory, named: final.description, replacing: replaces, origin: .peer,
                    progress: progress, isCancelled: isCancelled)
            }
        }
    }

    /// Renames a file or directory that this process owns, if both names are on one file system.
    ///
    /// - Parameter replaces: whether an existing file with the name may be replaced.
    /// - Returns: `false` if the item must be copied.
    private static func rename(
        _ source: URL, isDirectory: Bool, to name: FileName, in directory: FileDescriptor, replaces: Bool
    ) throws -> Bool {
        do {
            if replaces {
                try retrying { renameat(AT_FDCWD, source.path, directory.rawValue, name.characters) }
            } else if isDirectory {
                // An empty directory reserves the name first. Then rename(2) cannot replace any other item.
                try directory.makeDirectory(name, permissions: 0o700)
                do {
                    try retrying { renameat(AT_FDCWD, source.path, directory.rawValue, name.characters) }
                } catch {
                    try? directory.removeEmptyDirectory(name)
                    throw error
                }
            } else {
                // The old name is removed later, together with the directory of the load.
                try retrying { linkat(AT_FDCWD, source.path, directory.rawValue, name.characters, 0) }
            }
            return true
        } catch let error as Errno where error == .crossDevice {
            return false
        } catch let error as Errno where !replaces && !isDirectory && error != .fileExists {
            // The file system has no hard links, or the user may not create them.
            return false
        }
    }

    /// Copies a file or directory into a directory, under a name that another program has chosen; see
    /// ``Replacement``.
    ///
    /// - Returns: the path of the copy.
    static func keep(_ source: URL, in folder: String) throws -> String {
        do {
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            let file = try FileDescriptor.open(source.path, [.readOnly, .noFollow])
            let isDirectory = try file.status().kind == .directory
            let name = ItemName.visible(source.path.lastPathName)
            var candidate = name
            var number = 2
            while try !copy(file, isDirectory: isDirectory, into: directory, named: candidate) {
                candidate = ItemName.numbered(name, number)
                number += 1
            }
            return URL(fileURLWithPath: folder).appendingPathComponent(candidate).path
        } catch let error as Errno {
            throw CommandError("\(folder): \(error)")
        } catch let error as CopyError {
            throw CommandError("\(folder): \(error)")
        }
    }

    /// Copies a file or directory into a directory, under the given name.
    ///
    /// - Returns: `false` if the name is taken.
    private static func copy(
        _ source: FileDescriptor, isDirectory: Bool, into folder: FileDescriptor, named name: String
    ) throws(CopyError) -> Bool {
        do throws(CopyError) {
            if isDirectory {
                try TreeCopier.copy(source, into: folder, named: name, origin: .peer)
            } else {
                try FileCopier.copy(source, into: folder, named: name, origin: .peer)
            }
            return true
        } catch {
            guard case .alreadyExists = error else { throw error }
            return false
        }
    }

    /// Creates a symbolic link to a file that stays in place. A file that PATH names is replaced.
    ///
    /// - Returns: the path of the link.
    @discardableResult
    static func link(
        to original: URL, at path: String, replacing replacement: Replacement = Replacement()
    ) throws -> String {
        // The path may already denote the original, or a link to it. Neither may be replaced, because the link would
        // then point to itself.
        let identity = try? FileStatus.of(original.path).identity
        return try atPlace(path, original.path.lastPathName, replacement, isThere: identity) {
            directory, final, replaces in
            let target = Array(original.path.utf8)
            guard replaces else { return try directory.makeLink(final, target: target) }
            guard try Sink(final, in: directory, isCancelled: { true }) == nil else { throw Errno.fileExists }
            try requireNoDirectory(final, in: directory)
            // A symbolic link cannot have the mark of a temporary file (``TemporaryName``). It is therefore created in
            // a temporary directory, which has the mark.
            let staged = try StagedTree(in: directory)
            try staged.descriptor.makeLink(final, target: target)
            try staged.moveOut(final)
        }
    }

    /// Resolves a path on the command line to a directory and a name, and runs a closure with them. Errors contain the
    /// path. Returns the path of the stored item.
    ///
    /// - Parameters:
    ///   - isThere: the identity of the file to store, if that file may already be at the path. If the file is already
    ///     there, it is not stored again.
    ///   - body: stores the item. `replaces` is whether to replace an existing file. If `replaces` is `false` and the
    ///     closure fails with EEXIST, it is called again with the next name.
    private static func atPlace(
        _ path: String, _ ownName: String, _ replacement: Replacement, isThere: FileStatus.Identity? = nil,
        _ body: (FileDescriptor, FileName, _ replaces: Bool) throws -> Void
    ) throws -> String {
        let destination = Destination(path)
        var tried = ownName
        do {
            let directory = try FileDescriptor.open(destination.folder, [.readOnly, .directory])
            // Removes temporary files of processes that were killed before they had stored their items.
            TemporaryName.sweepMarked(directory)
            for name in destination.names(for: ownName, replacement) {
                tried = name
                guard let final = FileName(name) else { throw Errno.invalidArgument }
                if let isThere, isThere == (try? directory.status(of: final, followingLinks: true).identity) { break }
                let replaces = destination.name != nil || replacement.allows(try? directory.status(of: final).identity)
                // The name is checked in advance, to avoid a copy for a name that is taken.
                if !replaces, (try? directory.status(of: final)) != nil { continue }
                do {
                    try body(directory, final, replaces)
                    break
                } catch  where !replaces && isTaken(error) {
                    continue
                }
            }
            return destination.path(named: tried)
        } catch let error as Errno {
            throw CommandError("\(destination.shownPath(named: tried)): \(error)")
        } catch CopyError.cancelled {
            throw CommandError("the load was cancelled")
        } catch CopyError.noSpace {
            // The temporary name of the copy is of no interest to the user.
            throw CommandError("\(destination.shownPath(named: tried)): \(Errno.noSpace)")
        } catch CopyError.system(let error, _) {
            throw CommandError("\(destination.shownPath(named: tried)): \(error)")
        } catch let error as CopyError {
            throw CommandError("\(destination.shownPath(named: tried)): \(error)")
        }
    }

    private static func isTaken(_ error: any Error) -> Bool {
        if case CopyError.alreadyExists = error { return true }
        return error as? Errno == .fileExists
    }

    /// Checks that a name does not belong to a directory, because a file cannot replace a directory.
    private static func requireNoDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        if (try? directory.status(of: name).kind) == .directory { throw .isDirectory }
    }
}
