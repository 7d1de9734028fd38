import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The metadata of a stored version.
package struct VersionRecord: SchemaMessage, Hashable {
    package let identifier: UUID
    /// The item's name when the version was stored.
    package let name: String
    var computer: String
    package let modificationDate: Date
    /// The date when the version was stored. Versions with equal modification dates are ordered by this date.
    let added: Date
    var isConflict = false
    var isResolved = true
    var isDiscardable = false

    init(of contents: URL, name: String) throws {
        let status = try contents.foundItem().descriptor.status()
        identifier = UUID()
        self.name = name
        computer = Self.thisComputer
        modificationDate = Date(status.modified)
        added = Date()
    }

    /// Creates a record from its values. Nothing is read from disk.
    package init(identifier: UUID, name: String, computer: String, modificationDate: Date) {
        self.identifier = identifier
        self.name = name
        self.computer = computer
        self.modificationDate = modificationDate
        added = modificationDate
    }

    private init(
        _ identifier: UUID, _ name: String, _ computer: String, modified: Double, added: Double, isConflict: Bool,
        isResolved: Bool, isDiscardable: Bool
    ) throws(MessageError) {
        // The name becomes part of a path, and a record from another process must not be trusted.
        guard FileName(name) != nil else { throw .invalid("a version has the name of a file") }
        self.identifier = identifier
        self.name = name
        self.computer = computer
        modificationDate = Date(timeIntervalSinceReferenceDate: modified)
        self.added = Date(timeIntervalSinceReferenceDate: added)
        self.isConflict = isConflict
        self.isResolved = isResolved
        self.isDiscardable = isDiscardable
    }

    package static let schema = Schema(
        Self.init(_:_:_:modified:added:isConflict:isResolved:isDiscardable:), Field(0, \.identifier),
        Field(1, \.name), Field(2, \.computer), Field(3, \.modificationDate.timeIntervalSinceReferenceDate),
        Field(4, \.added.timeIntervalSinceReferenceDate), Field(5, \.isConflict), Field(6, \.isResolved),
        Field(7, \.isDiscardable))

    static var thisComputer: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A stored version: a directory with the record, and with the contents under the item's name.
struct KeptVersion {
    /// The persistent identifier of the current version.
    static let currentIdentifier = "current"
    private static let recordName = "record"

    let folder: String
    var record: VersionRecord

    var contents: URL { URL(fileURLWithPath: folder + "/contents/" + record.name) }

    /// Reads the version in the given directory; `nil` if the directory does not contain a version.
    init?(folder: String) {
        let record = FileManager.default.contents(atPath: folder + "/" + Self.recordName)?.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            return try? decoder.decode(VersionRecord.self, forKey: 0)
        }
        guard let record else { return nil }
        self.folder = folder
        self.record = record
    }

    init(folder: String, record: VersionRecord) {
        self.folder = folder
        self.record = record
    }

    /// Creates a version whose contents are not accessible, because they were removed, or because only another process
    /// can access them.
    init(withoutContents record: VersionRecord) {
        self.init(folder: VersionStore.root + "/gone/" + record.identifier.uuidString, record: record)
    }

    var hasContents: Bool { access(contents.path, F_OK) == 0 }

    func writeRecord() throws {
        var encoder = MessageEncoder()
        encoder.encode(record, forKey: 0)
        try Data(encoder.bytes).write(to: URL(fileURLWithPath: folder + "/" + Self.recordName), options: .atomic)
    }

    func remove() throws {
        let url = URL(fileURLWithPath: folder)
        guard let name = FileName(url.path.lastPathName) else { return }
        try TreeRemover.remove(name, in: .open(url.deletingLastPathComponent().path, [.readOnly, .directory]))
    }
}

/// A change of one of an item's versions, as it is sent to presenters.
package struct VersionChange: SchemaMessage, Hashable {
    package enum Kind: UInt64, MessageValue {
        case gained = 0
        case lost = 1
        case resolved = 2
    }

    package let kind: Kind
    package let record: VersionRecord

    package init(_ kind: Kind, _ record: VersionRecord) {
        self.kind = kind
        self.record = record
    }

    package static let schema = Schema(Self.init, Field(0, \.kind), Field(1, \.record))
}
