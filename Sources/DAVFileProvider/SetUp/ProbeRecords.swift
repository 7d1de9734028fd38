import Foundation
import Glibc
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The directories that probes have created at servers. The address of each directory is written to a file before the
/// first request. If this process is killed, the next one finds the file and removes the directory.
///
/// All domains of a provider share these files: a set-up that was killed leaves no domain that could remove the
/// directory. Functions block on the disk.
package struct ProbeRecords: Sendable {
    private let path: String

    /// The directories whose records this process has removed, with the times of the removals. Leaf lock.
    private static let ended = Lock<[HTTPAddress: ContinuousClock.Instant]>([:])
    /// The duration after which a listing no longer contains a directory that was removed during the listing.
    private static let endedMemory = Duration.seconds(600)

    /// The maximum size of a record's file in bytes.
    private static let largest = 1 << 16

    /// - Parameter state: The directory of one domain's state. The records lie beside it.
    package init(beside state: URL) {
        path = state.deletingLastPathComponent().appendingPathComponent(".probes").path
    }

    /// The record of one probe. The process of the probe holds a lock on the file, so that no other process removes a
    /// directory in use.
    package struct Record: Sendable {
        package let directory: HTTPAddress
        fileprivate let name: FileName
        fileprivate let file: FileDescriptor
    }

    /// Records the directory of a probe that is about to begin.
    package func begin(_ directory: HTTPAddress) throws -> Record {
        let name = DAVError.name(of: directory).split(separator: "/").last.map { String($0) } ?? ""
        guard let name = FileName(name) else { throw Errno.invalidArgument }
        if mkdir(path, 0o700) < 0, Errno.current != .fileExists { throw Errno.current }
        let folder = try FileDescriptor.open(path, [.readOnly, .directory, .noFollow])
        // The file is locked as soon as it exists.
        var staged = try StagedFile(in: folder, permissions: 0o600)
        try Array(directory.description.utf8).withUnsafeBytes { try staged.descriptor.writeAll($0) }
        let file = staged.descriptor
        try staged.replace(name)
        return Record(directory: directory, name: name, file: file)
    }

    /// Removes the record of a directory that no longer exists.
    package func end(_ record: Record) {
        let directory = record.directory.asDirectory
        Self.ended.withLock { ended in
            let now = ContinuousClock.now
            ended = ended.filter { now - $0.value < Self.endedMemory }
            ended[directory] = now
        }
        // If this fails, the next process finds that the directory is missing.
        guard let folder = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]) else { return }
        try? folder.removeFile(record.name)
    }

    /// Returns the records of interrupted probes in the given folder at a server. The process of an interrupted probe
    /// has ended without removing the probe's directory.
    package func abandoned(in root: HTTPAddress) -> [Record] {
        guard let folder = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]),
            let entries = try? folder.entries()
        else { return [] }
        TemporaryName.sweep(folder)
        let beginning = root.asDirectory.description
        return entries.compactMap { entry in
            guard Self.hasForm(entry.name.description),
                let (directory, file) = Self.read(entry.name, in: folder),
                directory.description.hasPrefix(beginning), flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
            else { return nil }
            return Record(directory: directory, name: entry.name, file: file)
        }
    }

    /// Whether a directory at a server belongs to a probe: the directory is recorded, or this process removed its
    /// record so recently that a listing may still contain the directory.
    package func contains(_ directory: HTTPAddress) -> Bool {
        let directory = directory.asDirectory
        let name = DAVError.name(of: directory).split(separator: "/").last.flatMap { FileName(String($0)) }
        if let name, let folder = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]),
            let (recorded, _) = Self.read(name, in: folder), recorded.asDirectory == directory
        {
            return true
        }
        return Self.ended.withLock { $0[directory].map { .now - $0 < Self.endedMemory } ?? false }
    }

    /// Whether a name has the form of the name of a probe's directory.
    static func hasForm(_ name: String) -> Bool { name.utf8.starts(with: DAVClient.probePrefix.utf8) }

    private static func read(_ name: FileName, in folder: FileDescriptor) -> (HTTPAddress, FileDescriptor)? {
        guard let file = try? folder.open(entry: name, [.readOnly, .nonBlocking]),
            let bytes = try? file.readToEnd(limit: largest),
            let directory = try? HTTPAddress(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return (directory, file)
    }
}

/// The fault points of a probe.
package enum DAVProbeStep: String, FaultPoint {
    /// The directory is recorded, and the server does not have it yet.
    case noted = "dav.probe.noted"
    /// The directory no longer exists at the server, and it is still recorded.
    case removed = "dav.probe.removed"
}

/// The record of a running probe.
private final class RecordedProbe: DAVProbeRecording {
    private let records: ProbeRecords
    private let service: any DAVServiceKind
    private let client: DAVClient
    // Leaf lock.
    private let record = Lock<ProbeRecords.Record?>(nil)

    init(_ records: ProbeRecords, _ service: any DAVServiceKind, _ client: DAVClient) {
        (self.records, self.service, self.client) = (records, service, client)
    }

    func begin(_ directory: HTTPAddress) async throws(DAVError) {
        do {
            let made = try await Blocking.run { [records] in try records.begin(directory) }
            record.withLock { $0 = made }
        } catch {
            throw .transport(.file(error as? Errno ?? .inputOutput))
        }
        DAVProbeStep.noted.reach()
    }

    func end() async {
        DAVProbeStep.removed.reach()
        guard let record = record.withLock({ $0.take() }) else { return }
        await records.end(record, service, client)
    }
}

extension DAVAccount {
    /// Probes the server in a folder. First removes the directories that interrupted probes left there.
    func probe(_ client: DAVClient, in folder: HTTPAddress) async throws(DAVError) -> DAVServerProfile {
        await clearProbes(client, in: folder)
        return try await client.probe(folder, recordedBy: RecordedProbe(probes, service, client))
    }

    /// Removes the directories that interrupted probes left in the domain's root. Directories that cannot be removed
    /// yet stay recorded.
    func clearProbes() async {
        let records = probes
        guard let left = try? await Blocking.run({ [root] in records.abandoned(in: root) }), !left.isEmpty else {
            return
        }
        _ = try? await ask(.background) { client throws(DAVError) in await clear(left, client) }
    }

    private func clearProbes(_ client: DAVClient, in folder: HTTPAddress) async {
        let records = probes
        guard let left = try? await Blocking.run({ records.abandoned(in: folder) }) else { return }
        await clear(left, client)
    }

    private func clear(_ left: [ProbeRecords.Record], _ client: DAVClient) async {
        for record in left where await client.removeProbe(record.directory) {
            await probes.end(record, service, client)
        }
    }
}

extension ProbeRecords {
    /// Removes the record of a directory that no longer exists, after the service has removed the directory's remains.
    /// If the server is busy or cannot be reached, the directory stays recorded, and the next search for changes tries
    /// again.
    fileprivate func end(_ record: Record, _ service: any DAVServiceKind, _ client: DAVClient) async {
        do {
            try await service.removeRemains(ofProbe: record.directory, with: client)
        } catch {
            if error.isTransient { return }
        }
        // Removing a record does not fail.
        try? await Blocking.run { end(record) }
    }
}
