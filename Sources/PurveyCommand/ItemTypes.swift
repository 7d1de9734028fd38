import Exchange
import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// Parses types, files and boards on the command line, for the commands about items.
enum ItemArgument {
    /// Returns the absolute URL of a file on the command line.
    static func file(_ path: String) throws -> URL {
        guard !path.isEmpty else { throw UsageError("a file name is empty") }
        // The kind is checked now, because the file is read only later.
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

    /// Returns the board that the option `--board` names, or the shelf if the option is absent.
    static func board(_ arguments: Arguments) throws -> Board {
        guard let name = arguments.value("board") else { return .shelf }
        guard !name.isEmpty else { throw UsageError("the name of the board is empty") }
        return Board(name)
    }

    /// Returns the type of a file. The file's name determines the type. If the name determines no type, the contents
    /// do. A symbolic link is followed.
    static func type(of file: URL) throws -> UTType {
        let resolved = realpath(file.path, nil)
        defer { free(resolved) }
        let type = try UTType.type(ofItemAt: resolved.map { String(cString: $0) } ?? file.path)
        // If the target's type is unknown, the name of the link determines the type.
        if type == .data, let named = UTType(filenameExtension: file.pathExtension), named.isDeclared { return named }
        return type
    }

    /// Checks that a text has the form of a type identifier, and returns the text. The type need not be declared.
    static func typeIdentifier(_ text: String) throws -> String {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0 == "/" }) else {
            throw UsageError("'\(text)' is not a type identifier such as public.png")
        }
        return UTType(text)?.identifier ?? text
    }
}

extension Error {
    /// The error in one line: the failure and, if known, its reason.
    var line: String {
        let bridged = self as NSError
        guard let reason = bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String,
            !bridged.localizedDescription.contains(reason)
        else { return bridged.localizedDescription }
        return "\(bridged.localizedDescription): \(reason)"
    }
}
