import Foundation
import Glibc
import UniformTypeIdentifiers

extension NSItemProvider {
    /// Creates an item that offers the file or URL that a URL refers to.
    ///
    /// A file is offered under its own name, first as its own type and then as `public.file-url`. Any other URL is
    /// offered only as `public.url`.
    ///
    /// - Returns: `nil` if the URL is `nil`, or if the file does not exist.
    public convenience init?(contentsOf fileURL: URL!) {
        guard let fileURL else { return nil }
        guard fileURL.isFileURL else {
            self.init(item: fileURL as NSURL, typeIdentifier: UTType.url.identifier)
            return
        }
        guard FileManager.default.fileExists(atPath: fileURL.path) else { return nil }
        self.init(contentsOf: fileURL, contentType: nil)
        register(item: ItemValue(fileURL as NSURL), typeIdentifier: UTType.fileURL.identifier)
    }
}

/// The type under which a file is offered if the client names no type.
package enum FileType {
    /// Returns the type that the name of a file denotes. For a directory, and for a name without a known extension,
    /// returns the type of the file itself. A symbolic link has the type of its target, because the target is loaded.
    package static func type(of fileURL: URL) -> UTType {
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: fileURL.path, isDirectory: &isDirectory)
        let byName = UTType(filenameExtension: fileURL.pathExtension)
        if let byName, byName.isDeclared, !isDirectory.boolValue { return byName }
        if let found = try? UTType(contentsOf: target(of: fileURL, isDirectory: isDirectory.boolValue)) { return found }
        return fileURL.pathExtension.isEmpty ? .data : byName ?? .data
    }

    private static func target(of fileURL: URL, isDirectory: Bool) -> URL {
        guard let path = realpath(fileURL.path, nil) else { return fileURL }
        defer { free(path) }
        return URL(fileURLWithPath: String(cString: path), isDirectory: isDirectory)
    }
}
