import Exchange
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem

/// The domains on disk. Each domain has a directory with the domain's record and all data of its engine. Functions
/// block on the disk.
struct DomainFolders: Sendable {
    let locations: Locations

    private var folder: String { locations.domains }

    /// Returns the directory of a domain's data.
    func folder(of name: String) -> String { folder + "/" + name }

    /// Returns the directory of a domain's clean contents, which can be fetched again.
    func cache(of record: DomainRecord) -> String { locations.cache + "/domains/" + record.identifier }

    /// Returns the readable records, and the names of the domains whose records cannot be read. Removes the remains of
    /// interrupted additions and removals.
    func load() -> (records: [DomainRecord], damaged: [String]) {
        var records: [DomainRecord] = []
        var damaged: [String] = []
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            if name.hasPrefix(Self.unfinished) {
                remove(name, in: folder)
            } else if !name.hasPrefix(".") {
                if let record = record(of: name) { records.append(record) } else { damaged.append(name) }
            }
        }
        return (records, damaged)
    }

    /// Returns the record of a domain; `nil` if the record cannot be read.
    func record(of name: String) -> DomainRecord? {
        guard let data = FileManager.default.contents(atPath: recordFile(of: name)),
            let record = DomainRecord(propertyList: data), record.name == name
        else { return nil }
        return record
    }

    func recordFile(of name: String) -> String { folder(of: name) + "/" + DomainRecord.fileName }

    private static let unfinished = ".purvey-"

    /// Stores a new domain. Its directory appears atomically, with the record in it.
    func add(_ record: DomainRecord) throws {
        let staged = Self.unfinished + UUID().uuidString
        let path = folder + "/" + staged
        try retrying { mkdir(path, 0o700) }
        do {
            let file = try FileDescriptor.open(
                path + "/" + DomainRecord.fileName, [.writeOnly, .create, .exclusive])
            let list = [UInt8](try record.propertyList())
            try list.withUnsafeBytes { try file.writeAll($0) }
            try file.synchronize()
            guard let old = FileName(staged), let new = FileName(record.name) else { throw Errno.invalidArgument }
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            try directory.rename(old, to: new)
            try directory.synchronize()
        } catch {
            remove(staged, in: folder)
            throw error
        }
    }

    /// Replaces a domain's record.
    func update(_ record: DomainRecord) throws {
        // The record is written to a temporary file, which is then renamed over the old one.
        try record.propertyList().write(
            to: URL(fileURLWithPath: folder(of: record.name) + "/" + DomainRecord.fileName), options: .atomic)
    }

    /// Removes all data of a domain, including its edits. The directory is first renamed, so that the domain disappears
    /// atomically, and deleted afterwards.
    func remove(_ record: DomainRecord) throws(Errno) {
        let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
        let gone = Self.unfinished + UUID().uuidString
        guard let old = FileName(record.name), let new = FileName(gone) else { throw .invalidArgument }
        try directory.rename(old, to: new)
        try? directory.synchronize()
        remove(gone, in: folder)
        // If the record was damaged, the domain's other directories are not known.
        guard !record.isDamaged else { return }
        remove(record.identifier, in: locations.cache + "/domains")
        try? record.providerDomain.removeDocuments(of: record.provider, data: locations.data)
    }

    /// Deletes a directory tree as far as possible. The rest of a domain's data directory is deleted at the next start.
    private func remove(_ name: String, in folder: String) {
        guard let name = FileName(name), let directory = try? FileDescriptor.open(folder, [.readOnly, .directory])
        else {
            return
        }
        try? TreeRemover.remove(name, in: directory)
    }
}
