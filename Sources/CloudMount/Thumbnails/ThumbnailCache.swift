import CGLib
import ExtensionHost
import Glibc
import LinuxSystem

/// The thumbnail cache that all programs of a desktop share. Functions block on the disk.
///
/// Source: the thumbnail specification of freedesktop.org.
package struct ThumbnailCache: Sendable {
    /// The cache directory, `~/.cache/thumbnails`.
    let path: String

    package init(path: String) { self.path = path }

    /// The directories of the cache, each with the size of its pictures: the length of the longer side in pixels.
    private static let folders: [(name: String, side: Int)] = [
        ("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024),
    ]
    /// The directory in which files without a picture are recorded. Each program has such a directory of its own.
    private static let failureFolder = "fail/purvey"

    /// The sizes in pixels of the pictures to create, the smallest first. The largest size is requested from the
    /// provider.
    static let sides = folders.map(\.side)

    /// A file, in the form in which the cache identifies it.
    package struct File: Sendable {
        let uri: String
        /// The modification date in seconds since 1970, as in stat(2).
        let modified: Int64
        fileprivate let name: String

        /// - Parameter path: The absolute path.
        package init(path: String, modified: Int64) {
            uri = "file://" + Self.escaped(path)
            self.modified = modified
            name = Self.digest(uri) + ".png"
        }

        /// Returns a path, escaped for a URI in the same way as GLib does. Programs compute the digest of GLib's
        /// result.
        private static func escaped(_ path: String) -> String {
            let digits = Array("0123456789ABCDEF".utf8)
            var bytes: [UInt8] = []
            for byte in path.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    bytes.append(byte)
                case _ where plain.contains(byte): bytes.append(byte)
                default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static let plain = Set("-_.!~*'()/&=:@+$,".utf8)

        private static func digest(_ text: String) -> String {
            guard let sum = g_compute_checksum_for_string(G_CHECKSUM_MD5, text, -1) else { return "" }
            defer { g_free(sum) }
            return String(cString: sum)
        }
    }

    /// Whether the cache has a file's pictures, or the record that the file has none.
    package func knows(_ file: File) -> Bool {
        // The largest size is written last, so if it exists, all do.
        [Self.folders.last?.name, Self.failureFolder].contains { folder in
            guard let folder,
                let picture = try? FileDescriptor.open("\(path)/\(folder)/\(file.name)", [.readOnly, .noFollow]),
                let head = try? picture.readToEnd(limit: ThumbnailPicture.longestHead(uri: file.uri))
            else { return false }
            return ThumbnailPicture.modified(in: head, uri: file.uri) == file.modified
        }
    }

    /// Stores a file's pictures. The last picture is also stored for the larger sizes.
    ///
    /// - Returns: Whether the pictures are valid.
    package func store(_ pictures: SmallPictures, of file: File) throws(Errno) -> Bool {
        var heads: [[UInt8]] = []
        for range in pictures.ranges {
            guard let head = try head(of: pictures.file, range, of: file) else { return false }
            heads.append(head)
        }
        guard !heads.isEmpty else { return false }
        for (index, folder) in Self.folders.enumerated() {
            let picture = min(index, heads.count - 1)
            let rest = pictures.ranges[picture].dropFirst(ThumbnailPicture.headSize)
            try write(heads[picture], pictures.file, rest, to: folder.name, named: file.name)
        }
        return true
    }

    /// Stores the record that a file has no picture.
    package func storeFailure(of file: File) throws(Errno) {
        let picture = ThumbnailPicture.failure(uri: file.uri, modified: file.modified)
        try write(picture, to: Self.failureFolder, named: file.name)
    }

    private func head(
        of pictures: FileDescriptor, _ range: Range<Int>, of file: File
    ) throws(Errno) -> [UInt8]? {
        guard range.count > ThumbnailPicture.headSize else { return nil }
        var bytes = [UInt8](repeating: 0, count: ThumbnailPicture.headSize)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(Errno) in try pictures.read(into: buffer, at: range.lowerBound) }
        }
        guard try result.get() == bytes.count else { return nil }
        return ThumbnailPicture.head(of: bytes, uri: file.uri, modified: file.modified)
    }

    /// Writes a file of the cache.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the file.
    ///   - source: The file that has the rest, in the range `rest`.
    private func write(
        _ bytes: [UInt8], _ source: FileDescriptor? = nil, _ rest: Range<Int> = 0..<0, to folder: String,
        named text: String
    ) throws(Errno) {
        guard let name = FileName(text) else { throw .invalidArgument }
        let directory = try open(folder)
        var staged = try StagedFile(in: directory, permissions: 0o600)
        let file = staged.descriptor
        let result = bytes.withUnsafeBytes { buffer in Result { () throws(Errno) in try file.writeAll(buffer) } }
        try result.get()
        if let source { try file.appendAll(of: source, rest) }
        try staged.replace(name, durably: false)
    }

    /// Opens a directory of the cache. Creates the directory and its parents if they do not exist.
    private func open(_ folder: String) throws(Errno) -> FileDescriptor {
        let whole = path + "/" + folder
        do throws(Errno) {
            return try .open(whole, [.readOnly, .directory])
        } catch .noSuchFile {
            var made = ""
            for part in whole.pathNames {
                made += "/" + part
                guard mkdir(made, 0o700) < 0, Errno.current != .fileExists else { continue }
                // For an existing directory, mkdir(2) may fail with another error than EEXIST. Such an error is ignored
                // if the directory exists.
                if (try? FileStatus.of(made)) == nil { throw .current }
            }
            return try .open(whole, [.readOnly, .directory])
        }
    }
}
