import Glibc
import Synchronization

/// The description of each type, and its filename extensions in the order that the type's author chose. The database
/// has one file for each type, `mime/MEDIA/SUBTYPE.xml`. Each file is read when its type is first requested, then
/// cached.
final class MIMETypeRecords: Sendable {
    struct Record: Sendable {
        var description: String?
        /// The extensions from patterns such as `*.tar.gz`, which has the extension `tar.gz`.
        var extensions: [String] = []
    }

    /// The directories of the files, in order of decreasing precedence.
    private let folders: [String]
    /// The records that were read. An empty record means that the file does not exist.
    private let known = Mutex<[String: Record]>([:])

    /// The maximum number of cached records. No machine has so many types. A limit is needed because requests for
    /// random types must not fill the memory.
    private static let mostKnown = 16384

    /// The maximum size in bytes of a file that is read. The largest real file has 30 KB, mostly translations.
    private static let largestFile = 1 << 20

    /// Creates the records of the types in the directories of the given caches.
    init(_ cachePaths: [String]) {
        folders = cachePaths.map { path in
            path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
        }
    }

    /// Returns the record of the type with the given canonical name; an empty record if the database has no file for
    /// the type.
    func record(of type: String) -> Record {
        if let record = known.withLock({ $0[type] }) { return record }
        let record = read(type)
        known.withLock { known in
            if known.count < Self.mostKnown { known[type] = record }
        }
        return record
    }

    private func read(_ type: String) -> Record {
        guard Self.isPlainName(type) else { return Record() }
        for folder in folders {
            guard let bytes = Self.contents(of: folder + type + ".xml") else { continue }
            return bytes.withUnsafeBytes(Self.parse)
        }
        return Record()
    }

    /// Whether a name is valid as the name of a type (RFC 6838, section 4.2), and therefore cannot lead out of the
    /// directory.
    private static func isPlainName(_ type: String) -> Bool {
        let parts = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                guard let first = part.first, first != UInt8(ascii: ".") else { return false }
                return part.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: "!#$&-^_.+%*'`|~{}".utf8.contains(byte)
                    }
                }
            }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> Record {
        var scanner = XMLScanner(bytes)
        var record = Record()
        while scanner.skipToElement() {
            switch scanner.name() {
            case "comment":
                var isTranslation = false
                while let attribute = scanner.attribute() {
                    if attribute.name == "xml:lang", attribute.value != "en" { isTranslation = true }
                }
                if !isTranslation, record.description == nil, let text = scanner.text(), !text.isEmpty {
                    record.description = text
                }
            case "glob":
                while let (name, value) = scanner.attribute() {
                    guard name == "pattern", value.hasPrefix("*.") else { continue }
                    let name = String(value.dropFirst(2))
                    if !name.isEmpty, !name.contains(where: { "*?[".contains($0) }),
                        !record.extensions.contains(name)
                    {
                        record.extensions.append(name)
                    }
                }
            default: break
            }
        }
        return record
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largestFile
        else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let length = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                if length > 0 {
                    count += length
                } else if length == 0 || errno != EINTR {
                    break
                }
            }
        }
    }
}
