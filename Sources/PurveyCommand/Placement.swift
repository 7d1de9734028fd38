import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// Puts what arrived where the user wants it, whole or not at all.
enum Placement {
    /// Writes data to a file. A file that PATH names is replaced once the new one is whole; a device or pipe is written to.
    ///
    /// - Returns: the path at which it is now.
    @discardableResult
    static func put(
        _ data: Data, at path: String, named name: String, replacing replacement: Replacement = Replacement(),
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> String {
        try atPlace(path, name, replacement) { directory, final, replaces in
            if replaces, let sink = try Sink(final, in: directory, isCancelled: isCancelled) {
                return try data.withUnsafeBytes { bytes in try sink.write(bytes) }
            }
            var staged = try StagedFile(in: directory)
            try data.withUnsafeBytes { bytes in try staged.descriptor.writeAll(bytes) }
            // As any program makes its files: readable for whom the user's mask says.
            try retrying { fchmod(staged.descriptor.rawValue, 0o666 & ~mask) }
            guard replaces else { return try staged.publish(as: final) }
            try replace(final, in: directory) { name in try staged.publish(as: name) }
        }
    }

    /// Moves a file or folder of ours. A file that PATH names is replaced, a folder is not; a device or pipe is written to.
    ///
    /// - Parameters:
    ///   - replacement: what may be replaced in a folder.
    ///   - report: told how much is done, from 0 to 1, where it has to be copied to another file system.
    ///   - isCancelled: asked between pieces of such a copy.
    /// - Returns: the path at which it is now.
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
            let copy = { (name: FileName) in
                if isDirectory {
                    try TreeCopier.copy(
                        file, into: directory, named: name.description, progress: progress, isCancelled: isCancelled)
                } else {
                    try FileCopier.copy(
                        file, into: directory, named: name.description, progress: progress, isCancelled: isCancelled)
                }
            }
            if replaces, !isDirectory { try replace(final, in: directory, copy) } else { try copy(final) }
        }
    }

    /// Gives a file or folder of ours its new name, where both are on one file system.
    ///
    /// - Parameter replaces: whether a file may have the name already.
    /// - Returns: `false` where it has to be copied.
    private static func rename(
        _ source: URL, isDirectory: Bool, to name: FileName, in directory: FileDescriptor, replaces: Bool
    ) throws -> Bool {
        do {
            if replaces {
                try retrying { renameat(AT_FDCWD, source.path, directory.rawValue, name.characters) }
            } else if isDirectory {
                // Onto an empty folder that takes the name first: this call replaces no other.
                try directory.makeDirectory(name, permissions: 0o700)
                do {
                    try retrying { renameat(AT_FDCWD, source.path, directory.rawValue, name.characters) }
                } catch {
                    try? directory.removeEmptyDirectory(name)
                    throw error
                }
            } else {
                // Its old name goes with the folder of the load.
                try retrying { linkat(AT_FDCWD, source.path, directory.rawValue, name.characters, 0) }
            }
            return true
        } catch let error as Errno where error == .crossDevice {
            return false
        } catch let error as Errno where !replaces && !isDirectory && error != .fileExists {
            // A file system without links, or a user who may not make them.
            return false
        }
    }

    /// Copies a file or folder into a folder under a name that another program has chosen; see ``Replacement``.
    ///
    /// - Returns: where it is.
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

    /// - Returns: `false` when the name is taken.
    private static func copy(
        _ source: FileDescriptor, isDirectory: Bool, into folder: FileDescriptor, named name: String
    ) throws(CopyError) -> Bool {
        do throws(CopyError) {
            if isDirectory {
                try TreeCopier.copy(source, into: folder, named: name)
            } else {
                try FileCopier.copy(source, into: folder, named: name)
            }
            return true
        } catch {
            guard case .alreadyExists = error else { throw error }
            return false
        }
    }

    /// Makes a symbolic link to a file that stays where it is. A file that PATH names is replaced.
    ///
    /// - Returns: the path at which it is now.
    @discardableResult
    static func link(
        to original: URL, at path: String, replacing replacement: Replacement = Replacement()
    ) throws -> String {
        // It may be there already, under its own name or by a link: neither must become a link to itself.
        let identity = try? FileStatus.of(original.path).identity
        return try atPlace(path, original.path.lastPathName, replacement, isThere: identity) {
            directory, final, replaces in
            let target = Array(original.path.utf8)
            guard replaces else { return try directory.makeLink(final, target: target) }
            guard try Sink(final, in: directory, isCancelled: { true }) == nil else { throw Errno.fileExists }
            try replace(final, in: directory) { name in try directory.makeLink(name, target: target) }
        }
    }

    /// Finds the folder and the name that a path means, and tells failures with both. Returns the two together.
    ///
    /// - Parameters:
    ///   - isThere: a file that needs not be put where it is already.
    ///   - body: puts it there; told whether a file that has the name is replaced. Where not, EEXIST has the next name tried.
    private static func atPlace(
        _ path: String, _ ownName: String, _ replacement: Replacement, isThere: FileStatus.Identity? = nil,
        _ body: (FileDescriptor, FileName, _ replaces: Bool) throws -> Void
    ) throws -> String {
        let destination = Destination(path)
        var tried = ownName
        do {
            let directory = try FileDescriptor.open(destination.folder, [.readOnly, .directory])
            for name in destination.names(for: ownName, replacement) {
                tried = name
                guard let final = FileName(name) else { throw Errno.invalidArgument }
                if let isThere, isThere == (try? directory.status(of: final, followingLinks: true).identity) { break }
                let replaces = destination.name != nil || replacement.allows(try? directory.status(of: final).identity)
                // Asked before: a copy whose name turns out to be taken was made for nothing.
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
            // The name that the copy has until it is whole is of no interest.
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

    /// Makes something under a hidden name and gives it the name of what it replaces in one step.
    private static func replace(
        _ name: FileName, in directory: FileDescriptor, _ make: (FileName) throws -> Void
    ) throws {
        if (try? directory.status(of: name).kind) == .directory { throw Errno.isDirectory }
        guard let hidden = FileName(".purvey-new-" + UUID().uuidString) else { throw Errno.invalidArgument }
        try make(hidden)
        do {
            try retrying {
                renameat(directory.rawValue, hidden.characters, directory.rawValue, name.characters)
            }
        } catch {
            try? directory.removeFile(hidden)
            throw error
        }
    }

    private static var mask: mode_t {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }
}
