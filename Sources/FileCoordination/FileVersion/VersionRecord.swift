import Foundation
import Glibc
import LinuxSystem

/// What is known of a kept version beside its contents.
struct VersionRecord: Codable {
    let identifier: UUID
    /// The item's name when it was kept.
    let name: String
    var computer: String
    let modificationDate: Date
    /// When it was kept, which orders versions of one date.
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

    static var thisComputer: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A kept version: a folder with the record and the contents, which have the item's name.
struct KeptVersion {
    /// What stands for the version that is there.
    static let currentIdentifier = "current"
    private static let recordName = "record.plist"

    let folder: String
    var record: VersionRecord

    var contents: URL { URL(fileURLWithPath: folder + "/contents/" + record.name) }

    /// The version that a folder holds; `nil` where there is none.
    init?(folder: String) {
        guard let data = FileManager.default.contents(atPath: folder + "/" + Self.recordName),
            let record = try? PropertyListDecoder().decode(VersionRecord.self, from: data), FileName(record.name) != nil
        else { return nil }
        self.folder = folder
        self.record = record
    }

    init(folder: String, record: VersionRecord) {
        self.folder = folder
        self.record = record
    }

    func writeRecord() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(record).write(to: URL(fileURLWithPath: folder + "/" + Self.recordName), options: .atomic)
    }

    func remove() throws {
        let url = URL(fileURLWithPath: folder)
        guard let name = FileName(url.lastPathComponent) else { return }
        try TreeRemover.remove(name, in: .open(url.deletingLastPathComponent().path, [.readOnly, .directory]))
    }
}
