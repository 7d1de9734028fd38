import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// Puts what arrived where the user wants it, whole or not at all.
enum Placement {
    /// Writes data to a file. One that is there is replaced once the new one is whole; a device or pipe is written to.
    ///
    /// - Returns: the path at which it is now.
    @discardableResult
    static func put(
        _ data: Data, at path: String, named name: String, isCancelled: @escaping () -> Bool = { false }
    ) throws -> String {
        try atPlace(path, name) { directory, final in
            if let sink = try Sink(final, in: directory, isCancelled: isCancelled) {
                return try data.withUnsafeBytes { bytes in try sink.write(bytes) }
            }
            var staged = try StagedFile(in: directory)
            try data.withUnsafeBytes { bytes in try staged.descriptor.writeAll(bytes) }
            // As any program makes its files: readable for whom the user's mask says.
            try retrying { fchmod(staged.descriptor.rawValue, 0o666 & ~mask) }
            try replace(final, in: directory) { name in try staged.publish(as: name) }
        }
    }

    /// Moves a file or folder of ours. A file that is there is replaced, a folder is not; a device or pipe is written to.
    ///
    /// - Parameters:
    ///   - others: paths that are not to be replaced: in a folder, it gets a number.
    ///   - report: told how much is done, from 0 to 1, where it has to be copied to another file system.
    ///   - isCancelled: asked between pieces of such a copy.
    /// - Returns: the path at which it is now.
    @discardableResult
    static func move(
        _ source: URL, to path: String, besides others: Set<String> = [], report: @escaping (Double) -> Void = { _ in },
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> String {
        let progress = { (completed: Int, total: Int) in
            if total > 0 { report(Double(completed) / Double(total)) }
        }
        return try atPlace(path, source.lastPathComponent, besides: others) { directory, final in
            let file = try FileDescriptor.open(source.path, [.readOnly, .noFollow])
            let isDirectory = try file.status().kind == .directory
            if isDirectory, (try? directory.status(of: final)) != nil { throw Errno.fileExists }
            if let sink = try Sink(final, in: directory, isCancelled: isCancelled) {
                return try Data(contentsOf: source, options: .alwaysMapped).withUnsafeBytes { try sink.write($0) }
            }
            do {
                try retrying { renameat(AT_FDCWD, source.path, directory.rawValue, final.characters) }
            } catch let error as Errno where error == .crossDevice {
                if isDirectory {
                    try TreeCopier.copy(
                        file, into: directory, named: final.description, progress: progress, isCancelled: isCancelled)
                } else {
                    try replace(final, in: directory) { name in
                        try FileCopier.copy(
                            file, into: directory, named: name.description, progress: progress,
                            isCancelled: isCancelled)
                    }
                }
            }
        }
    }

    /// Whether files can be put into a folder, as far as that can be told before.
    static func check(folder: String) throws {
        do throws(Errno) {
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            try retrying { faccessat(directory.rawValue, ".", W_OK, 0) }
        } catch {
            throw CommandError("\(folder): \(error)")
        }
    }

    /// Copies a file or folder into a folder under a name that somebody else has chosen: nothing there is replaced, a name that is
    /// taken gets a number, and no hidden file is made, such as one that a shell would run.
    ///
    /// - Returns: where it is.
    static func keep(_ source: URL, in folder: String) throws -> String {
        do {
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            let file = try FileDescriptor.open(source.path, [.readOnly, .noFollow])
            let isDirectory = try file.status().kind == .directory
            let visible = source.lastPathComponent.drop { $0 == "." }
            let name = (visible.count == source.lastPathComponent.count ? "" : "_") + visible as NSString
            let ending = name.pathExtension.isEmpty ? "" : "." + name.pathExtension
            var candidate = name as String
            var number = 2
            while try !copy(file, isDirectory: isDirectory, into: directory, named: candidate) {
                candidate = "\(name.deletingPathExtension) \(number)\(ending)"
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

    /// Makes a symbolic link to a file that stays where it is. A file that is there is replaced.
    ///
    /// - Returns: the path at which it is now.
    @discardableResult
    static func link(to original: URL, at path: String) throws -> String {
        try atPlace(path, original.lastPathComponent) { directory, final in
            guard try Sink(final, in: directory, isCancelled: { true }) == nil else { throw Errno.fileExists }
            // It is there already, under its own name or by a link: neither must become a link to itself.
            if let there = try? directory.status(of: final, followingLinks: true).identity,
                there == (try? FileStatus.of(original.path).identity)
            {
                return
            }
            try replace(final, in: directory) { name in
                try directory.makeLink(name, target: Array(original.path.utf8))
            }
        }
    }

    /// Finds the folder and the name that a path means, and tells failures with both. Returns the two together.
    private static func atPlace(
        _ path: String, _ ownName: String, besides others: Set<String> = [],
        _ body: (FileDescriptor, FileName) throws -> Void
    ) throws -> String {
        let isFolder = (try? FileStatus.of(path).kind) == .directory
        let url = URL(fileURLWithPath: path)
        let folder = isFolder ? path : url.deletingLastPathComponent().path
        func place(_ name: String) -> String { URL(fileURLWithPath: folder).appendingPathComponent(name).path }
        var name = isFolder ? ownName : url.lastPathComponent
        var number = 1
        while isFolder, others.contains(place(name)) {
            number += 1
            name = ItemName.numbered(ownName, number)
        }
        let path = isFolder ? (path.hasSuffix("/") ? path : path + "/") + name : path
        do {
            guard let final = FileName(name) else { throw Errno.invalidArgument }
            try body(try .open(folder.isEmpty ? "." : folder, [.readOnly, .directory]), final)
            return place(name)
        } catch let error as Errno {
            throw CommandError("\(path): \(error)")
        } catch CopyError.cancelled {
            throw CommandError("the load was cancelled")
        } catch CopyError.noSpace {
            // The name that the copy has until it is whole is of no interest.
            throw CommandError("\(path): \(Errno.noSpace)")
        } catch CopyError.system(let error, _) {
            throw CommandError("\(path): \(error)")
        } catch let error as CopyError {
            throw CommandError("\(path): \(error)")
        }
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
