import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// The resolved path of an item, and the ``Access/key`` that the arbiter compares.
struct ItemPath: Hashable, Sendable {
    /// The absolute path. Symbolic links in its parents are resolved.
    let path: ExactPath
    /// The path of the outermost package that contains the item. If no package contains it, this is the item's own
    /// path.
    let key: ExactPath

    /// Resolves a URL. An item that does not exist gets the path at which it would be created.
    ///
    /// - Parameter followingLink: If the item is a symbolic link, whether to use the link's target instead.
    /// - Throws: `CocoaError` for a URL that is not a file URL, and for cycles of links.
    init(_ url: URL, followingLink: Bool = false) throws {
        if let plain = Self.plainPath(of: url) {
            try self.init(path: plain, followingLink: followingLink)
            return
        }
        guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url]) }
        try self.init(path: url.path, followingLink: followingLink)
    }

    /// Returns the path of a file URL with only plain characters: ASCII letters, digits, `/`, `.`, `-` and `_`. Returns
    /// `nil` for other URLs. Most URLs have only plain characters, and `URL.path` takes several times as long.
    private static func plainPath(of url: URL) -> String? {
        let scheme = "file://"
        var text = url.absoluteString
        let isPlain = text.withUTF8 { bytes in
            bytes.count > scheme.utf8.count + 1 && bytes.starts(with: scheme.utf8)
                && bytes[scheme.utf8.count] == UInt8(ascii: "/") && bytes.last != UInt8(ascii: "/")
                && bytes.dropFirst(scheme.utf8.count).allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        return isPlain ? String(text.utf8.dropFirst(scheme.utf8.count)) : nil
    }

    init(path given: String, followingLink: Bool = false) throws {
        guard given.hasPrefix("/"), !given.utf8.contains(0) else {
            throw CocoaError(.fileReadInvalidFileName, userInfo: [NSFilePathErrorKey: given])
        }
        do throws(Errno) {
            let resolved = try Self.resolve(given, followingLink: followingLink)
            // The system rejects longer paths, so the item could never be used.
            if resolved.utf8.count >= Int(PATH_MAX) { throw Errno.nameTooLong }
            self.init(resolved: resolved)
        } catch {
            throw CocoaError(
                error == .nameTooLong ? .fileReadInvalidFileName : .fileReadUnknown,
                userInfo: [
                    NSFilePathErrorKey: given,
                    NSUnderlyingErrorKey: NSError(
                        domain: NSPOSIXErrorDomain, code: Int(error.rawValue),
                        userInfo: [NSLocalizedDescriptionKey: error.description]),
                ])
        }
    }

    /// Creates an item path from an absolute path that contains no symbolic links.
    init(resolved path: String) {
        self.path = ExactPath(path)
        key = Packages.key(of: self.path)
    }

    private static func resolve(_ given: String, followingLink: Bool) throws(Errno) -> String {
        var (parent, name) = split(given)
        if name.isEmpty { return "/" }
        if followingLink || name == "." || name == ".." {
            do throws(Errno) { return try realPath(given) } catch .noSuchFile {} catch .notDirectory {}
        }
        if !followingLink, isPlain(given), FileDescriptor.leadsStraight(to: parent.isEmpty ? "/" : parent) {
            return given
        }
        // Missing components are appended to the resolved existing path.
        var missing: [String] = []
        while true {
            do throws(Errno) {
                let base = try realPath(parent.isEmpty ? "/" : parent)
                return (missing + [name]).reduce(base == "/" ? "" : base) { path, name in
                    switch name {
                    case ".": path
                    case "..": split(path).parent
                    default: path + "/" + name
                    }
                }
            } catch .noSuchFile {
                let next = split(parent)
                if next.name.isEmpty { throw Errno.noSuchFile }
                missing.insert(next.name, at: 0)
                parent = next.parent
            } catch .notDirectory {
                let next = split(parent)
                if next.name.isEmpty { throw Errno.notDirectory }
                missing.insert(next.name, at: 0)
                parent = next.parent
            }
        }
    }

    /// Whether the path has no empty component, no `.` and no `..`.
    private static func isPlain(_ path: String) -> Bool {
        // Optimized, as every coordinated access calls this.
        var path = path
        return path.withUTF8 { bytes in
            // The length of the current component, and the number of dots in it.
            var (length, dots) = (0, 0)
            for byte in bytes.dropFirst() {
                if byte == UInt8(ascii: "/") {
                    if length == 0 || length == dots && dots <= 2 { return false }
                    (length, dots) = (0, 0)
                } else {
                    length += 1
                    if byte == UInt8(ascii: ".") { dots += 1 }
                }
            }
            return length > 0 && !(length == dots && dots <= 2)
        }
    }

    /// Splits a path into the parent's path and the last component.
    private static func split(_ path: String) -> (parent: String, name: String) {
        let bytes = path.utf8
        var end = bytes.endIndex
        while end > bytes.startIndex, bytes[bytes.index(before: end)] == UInt8(ascii: "/") {
            end = bytes.index(before: end)
        }
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")) else { return ("", String(path[..<end])) }
        return (String(path[..<slash]), String(path[bytes.index(after: slash)..<end]))
    }

    private static func realPath(_ path: String) throws(Errno) -> String {
        guard let resolved = realpath(path, nil) else { throw Errno.current }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// Finds packages: directories that are treated as one file.
enum Packages {
    private static let known = Lock<[ExactPath: Bool]>([:])

    /// Returns the path of the outermost package that contains the given path. If no package contains it, returns the
    /// given path.
    static func key(of path: ExactPath) -> ExactPath {
        let bytes = path.utf8
        guard bytes.contains(UInt8(ascii: ".")) else { return path }
        var start = bytes.startIndex
        while let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) {
            if let dot = bytes[start..<slash].lastIndex(of: UInt8(ascii: ".")), dot > start,
                isPackage(extension: String(path.string[bytes.index(after: dot)..<slash]))
            {
                return ExactPath(String(path.string[..<slash]))
            }
            start = bytes.index(after: slash)
        }
        return path
    }

    private static func isPackage(extension name: String) -> Bool {
        guard !name.isEmpty else { return false }
        let exact = ExactPath(name)
        if let known = known.withLock({ $0[exact] }) { return known }
        let isPackage = UTType.types(tag: name, tagClass: .filenameExtension, conformingTo: nil).contains {
            $0.isDeclared && $0.conforms(to: .package)
        }
        known.withLock { known in
            // Bounds the memory for arbitrary extensions.
            if known.count > 4096 { known = [:] }
            known[exact] = isPackage
        }
        return isPackage
    }
}
