import Exchange
import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// What the commands for items have in common: reading types, files and boards from the command line.
enum ItemArgument {
    /// A file named on the command line, as a URL that stays right wherever the process goes.
    static func file(_ path: String) throws -> URL {
        guard !path.isEmpty else { throw UsageError("a file name is empty") }
        // Asked now, because the promise is kept only later.
        do {
            let kind = try FileStatus.of(path).kind
            guard kind == .regular || kind == .directory else {
                throw CommandError("\(path) is neither a file nor a folder")
            }
            guard access(path, R_OK) == 0 else { throw Errno.current }
        } catch let error as Errno {
            throw CommandError("\(path): \(error)")
        }
        return URL(fileURLWithPath: path).absoluteURL
    }

    /// The board that `--board` names, or the shelf.
    static func board(_ arguments: Arguments) throws -> Board {
        guard let name = arguments.value("board") else { return .shelf }
        guard !name.isEmpty else { throw UsageError("the name of the board is empty") }
        return Board(name)
    }

    /// The type of a file, by its name and then by its content; a link stands for what it leads to.
    static func type(of file: URL) throws -> UTType {
        let resolved = realpath(file.path, nil)
        defer { free(resolved) }
        let type = try UTType.type(ofItemAt: resolved.map { String(cString: $0) } ?? file.path)
        // The file's own name counts, not that of what it is a link to.
        if type == .data, let named = UTType(filenameExtension: file.pathExtension), named.isDeclared { return named }
        return type
    }

    /// A type identifier. It need not be declared, but it has to look like one.
    static func typeIdentifier(_ text: String) throws -> String {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0 == "/" }) else {
            throw UsageError("'\(text)' is not a type identifier such as public.png")
        }
        return UTType(text)?.identifier ?? text
    }
}

extension Error {
    /// The error in one line: what failed and, where the error knows, why.
    var line: String {
        let bridged = self as NSError
        guard let reason = bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String,
            !bridged.localizedDescription.contains(reason)
        else { return bridged.localizedDescription }
        return "\(bridged.localizedDescription): \(reason)"
    }
}
