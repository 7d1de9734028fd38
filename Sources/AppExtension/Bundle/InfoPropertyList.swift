import Foundation
import Glibc
import LinuxSystem
import PropertyLists

/// The `Info.plist` of an untrusted bundle, read so that all faults can be reported at once.
package struct InfoPropertyList {
    package let values: [String: Any]

    /// The maximum size in bytes. A usual list has a few kilobytes.
    private static let largest = 4 << 20

    /// Creates a list from a dictionary.
    package init(_ values: [String: Any]) { self.values = values }

    /// Reads a file. Returns `nil`, and adds a fault, if the file is not a valid property list. Blocks on the file
    /// system.
    package init?(path: String, faults: inout [String]) {
        do {
            // Non-blocking, so that opening a named pipe does not wait.
            let file = try FileDescriptor.open(path, [.readOnly, .nonBlocking])
            let status = try file.status()
            guard status.kind == .regular else {
                faults.append("\(path) is not a file")
                return nil
            }
            guard status.size <= Self.largest else {
                faults.append("\(path) has \(status.size) bytes; at most \(Self.largest) are read")
                return nil
            }
            guard let values = ForeignPropertyList.dictionary(Data(try file.readToEnd(limit: Self.largest))) else {
                faults.append("\(path) is not a property list with a dictionary at its root")
                return nil
            }
            self.values = values
        } catch {
            faults.append("\(path): \(error)")
            return nil
        }
    }

    /// Returns a required string. Returns `nil`, and adds a fault, if the string is missing or empty.
    package func string(_ key: String, faults: inout [String]) -> String? {
        guard let value = values[key] else {
            faults.append("\(key) is missing")
            return nil
        }
        guard let text = value as? String, !text.isEmpty else {
            faults.append("\(key) is not a string with characters in it")
            return nil
        }
        return text
    }

    /// Returns the bundle's identifier; `nil` if it is missing. Adds a fault if the identifier is missing or invalid.
    package func identifier(faults: inout [String]) -> String? {
        let identifier = string("CFBundleIdentifier", faults: &faults)
        if let identifier, !Self.isIdentifier(identifier) {
            faults.append("CFBundleIdentifier \"\(identifier)\" may hold only letters, digits, hyphens and dots")
        }
        return identifier
    }

    /// Returns the path of a bundle's directory without symbolic links. Returns `nil`, and adds a fault, if there is no
    /// directory at `path`. Blocks on the file system.
    package static func bundleDirectory(at path: String, faults: inout [String]) -> String? {
        guard let resolved = realpath(path, nil) else {
            faults.append("\(path): \(Errno.current)")
            return nil
        }
        defer { free(resolved) }
        let directory = String(cString: resolved)
        guard (try? FileStatus.of(directory))?.kind == .directory else {
            faults.append("\(path) is not a folder")
            return nil
        }
        return directory
    }

    /// Whether a text is valid as a bundle's identifier. The identifier becomes a file name, so none of its characters
    /// may have a meaning in a path.
    package static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), text.utf8.count <= 200 else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
