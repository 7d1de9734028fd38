import Foundation
import LinuxSystem

/// A file that contains only a bookmark.
struct AliasFile {
    private let url: URL

    init(_ url: URL) throws {
        guard url.isFileURL else { throw BookmarkError.notAFile(url) }
        self.url = url
    }

    func write(_ data: Data) throws {
        let bookmark = try Bookmark(reading: data)
        guard URL.BookmarkCreationOptions(rawValue: bookmark.options).contains(.suitableForBookmarkFile) else {
            throw BookmarkError.corrupt("a bookmark for a file has to be made with suitableForBookmarkFile")
        }
        try data.write(to: url, options: .atomic)
    }

    func bookmark() throws -> Data {
        guard let data = try contents() else {
            throw BookmarkError.corrupt("\(url.path) does not contain a bookmark")
        }
        _ = try Bookmark(reading: data)
        return data
    }

    /// Returns the target if the file is an alias file or a symbolic link; `nil` for any other file.
    func target(_ options: URL.BookmarkResolutionOptions) throws -> URL? {
        let item = try url.foundItem()
        if try item.descriptor.status().kind == .symbolicLink {
            let target = url.resolvingSymlinksInPath()
            _ = try target.foundItem()
            return target
        }
        guard let data = try contents() else { return nil }
        return try ResolvedBookmark(data, options, relativeTo: nil).url
    }

    /// Returns the file's contents if they begin with the signature of a bookmark; otherwise `nil`.
    private func contents() throws -> Data? {
        let path = url.bookmarkPath
        do throws(Errno) {
            // Non-blocking, so that opening a named pipe does not wait.
            let file = try FileDescriptor.open(path, [.readOnly, .nonBlocking])
            let status = try file.status()
            guard status.kind == .regular, status.size <= BookmarkSeal.largest else { return nil }
            let data = Data(try file.readToEnd(limit: BookmarkSeal.largest))
            return BookmarkSeal.isBookmark(data) ? data : nil
        } catch {
            throw BookmarkError.unreadable(path, error)
        }
    }
}
