import Exchange
import ExtensionHost
import FileProvider
import Foundation
import Glibc
import LinuxSystem

/// The domains on disk: a folder each, with its record and all that its engine keeps. Methods block on the file system.
struct DomainFolders: Sendable {
    let locations: Locations

    private var folder: String { locations.domains }

    /// Everything that is kept of a domain.
    func folder(of name: String) -> String { folder + "/" + name }

    /// What can be had again of a domain.
    func cache(of record: DomainRecord) -> String { locations.cache + "/domains/" + record.identifier }

    /// Takes the folder for this process; `nil` where another one has it. For as long as what it returns is kept.
    func take() throws(Errno) -> FileDescriptor? {
        try PrivateFolder.make(folder)
        let file = try FileDescriptor.open(folder + "/.lock", [.readWrite, .create, .noFollow])
        return flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 ? file : nil
    }

    /// What is there, and of what cannot be read the name. What was being added or removed is swept away.
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

    /// The record of a domain, if it can be read.
    func record(of name: String) -> DomainRecord? {
        guard let data = FileManager.default.contents(atPath: recordFile(of: name)),
            let record = DomainRecord(propertyList: data), record.name == name
        else { return nil }
        return record
    }

    func recordFile(of name: String) -> String { folder(of: name) + "/" + DomainRecord.fileName }

    private static let unfinished = ".purvey-"

    /// Keeps a new domain. Its folder appears with the record in it, or not at all.
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

    /// Keeps a domain's record in place of the one that is there.
    func update(_ record: DomainRecord) throws {
        // Whole and on disk, under the other's name.
        try record.propertyList().write(
            to: URL(fileURLWithPath: folder(of: record.name) + "/" + DomainRecord.fileName), options: .atomic)
    }

    /// Removes all that is kept of a domain, its edits too. It is gone at once, and swept away afterwards.
    func remove(_ record: DomainRecord) throws(Errno) {
        let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
        let gone = Self.unfinished + UUID().uuidString
        guard let old = FileName(record.name), let new = FileName(gone) else { throw .invalidArgument }
        try directory.rename(old, to: new)
        try? directory.synchronize()
        remove(gone, in: folder)
        // Nobody knows what else belongs to one whose record was damaged.
        guard !record.isDamaged else { return }
        remove(record.identifier, in: locations.cache + "/domains")
        try? record.providerDomain.removeDocuments(of: record.provider, data: locations.data)
    }

    /// What cannot be removed now is swept away at the next start.
    private func remove(_ name: String, in folder: String) {
        guard let name = FileName(name), let directory = try? FileDescriptor.open(folder, [.readOnly, .directory])
        else {
            return
        }
        try? TreeRemover.remove(name, in: directory)
    }
}
