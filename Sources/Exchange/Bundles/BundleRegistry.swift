import Foundation
import Glibc
import LinuxSystem

/// The bundles that are registered with the daemon. Each is stored as a property list.
///
/// Any thread may use the registry. The comment of a method states whether the method accesses the disk.
package final class BundleRegistry: Sendable {
    /// The path of the directory with the records.
    private let folder: String
    private let limit: Int
    /// The maximum number of faults that an error message lists.
    private static let mostFaults = 20
    private let records: Lock<[String: BundleRecord]>

    /// Reads the records from disk. Skips damaged records, and describes each in a call of `report`.
    package init(folder: String, limit: Int = ExchangeLimits().bundles, report: (String) -> Void = { _ in }) {
        self.folder = folder
        self.limit = limit
        var found: [String: BundleRecord] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".plist")
        {
            guard let data = FileManager.default.contents(atPath: folder + "/" + name),
                let record = BundleRecord(propertyList: data), record.identifier + ".plist" == name
            else {
                report("the bundle record \(folder)/\(name) is damaged and is not used")
                continue
            }
            found[record.identifier] = record
        }
        records = Lock(found)
    }

    /// All records, sorted by identifier.
    package var all: [BundleRecord] {
        records.withLock { $0.values.sorted { $0.identifier < $1.identifier } }
    }

    /// Registers the bundle at the given path. Replaces a registered bundle with the same identifier. Reads and writes
    /// the disk.
    @discardableResult
    package func register(path: String) throws -> BundleRecord {
        let inspection = BundleInspection(path: path)
        guard let record = inspection.record else {
            // The number of faults in the message is limited, because the reply is a single message. A property list
            // may have a thousand entries with a fault each.
            let others = inspection.faults.count - Self.mostFaults
            throw ExchangeRefusalError.refused(
                "the bundle cannot be registered: "
                    + inspection.faults.prefix(Self.mostFaults).joined(separator: "; ")
                    + (others > 0 ? "; and \(others) more" : ""))
        }
        // If two bundles had the same executable, a process could not be assigned to either.
        let identity = try? FileStatus.of(record.executable).identity
        if let other = all.first(where: {
            $0.identifier != record.identifier && (try? FileStatus.of($0.executable).identity) == identity
        }) {
            throw ExchangeRefusalError.refused(
                "the bundle cannot be registered: its executable belongs to \(other.identifier) already")
        }
        guard all.count < limit || all.contains(where: { $0.identifier == record.identifier }) else {
            throw ExchangeRefusalError.refused("at most \(limit) bundles can be registered")
        }
        try write(try record.propertyList(), to: record.identifier + ".plist")
        records.withLock { $0[record.identifier] = record }
        return record
    }

    /// Removes the record of the bundle with the given identifier. Writes to the disk. The bundle itself is not
    /// changed.
    package func remove(identifier: String) throws(ExchangeRefusalError) {
        // Only registered identifiers are accepted, so that no arbitrary text becomes a path.
        let known = records.withLock { $0.keys.sorted() }
        guard known.contains(identifier) else {
            throw .refused(
                SpellingSuggestion.sentence(
                    "no bundle \"\(identifier)\" is registered", about: identifier, known: known))
        }
        if unlink(folder + "/" + identifier + ".plist") != 0, Errno.current != .noSuchFile {
            throw .refused("the record of \(identifier) cannot be removed: \(Errno.current)")
        }
        records.withLock { $0[identifier] = nil }
    }

    /// Returns the bundle whose executable is the file with the given identity; `nil` if there is none. Because file
    /// identities are compared, it does not matter by which path the file was opened. Reads the status of executables
    /// from the disk.
    package func bundle(ofExecutable identity: FileStatus.Identity) -> BundleRecord? {
        all.first { (try? FileStatus.of($0.executable).identity) == identity }
    }

    private func write(_ data: Data, to name: String) throws {
        let temporary = "\(folder)/.\(name).\(UUID().uuidString)"
        do {
            try PrivateFolder.make(folder)
            do {
                let file = try FileDescriptor.open(temporary, [.writeOnly, .create, .exclusive])
                try data.withUnsafeBytes { try file.writeAll($0) }
                try file.synchronize()
                try retrying { rename(temporary, folder + "/" + name) }
            } catch {
                unlink(temporary)
                throw error
            }
        } catch {
            throw ExchangeRefusalError.refused("the bundle's record cannot be written in \(folder): \(error)")
        }
    }
}
