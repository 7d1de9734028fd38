import Foundation
import Glibc
import UniformTypeIdentifiers

extension NSItemProvider {
    /// An item that offers what a URL refers to.
    ///
    /// A file is offered as its own type and, behind that, as `public.file-url`, under its own name. Any other URL is offered as
    /// `public.url` alone.
    ///
    /// - Returns: `nil` for no URL, and for a file that does not exist.
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

/// The type under which a file is offered when nobody named one.
package enum FileType {
    /// The type its name means; for a directory, a name without a known extension or no extension at all, what the file is.
    /// A symbolic link stands for what it leads to, as it does when it is loaded.
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
