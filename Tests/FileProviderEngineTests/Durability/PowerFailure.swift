import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import LinuxSystem

/// The state of a database's files at one moment. Restoring it stands for a power failure that loses later writes.
struct DatabaseImage {
    private let parts: [(suffix: String, bytes: [UInt8])]
    private let path: String

    /// - Parameter path: The database's path. A commit during the copy may or may not be included.
    init(_ path: String) throws {
        self.path = path
        parts = try ["", "-wal"].map { suffix in
            (suffix, try FileDescriptor.open(path + suffix, .readOnly).readToEnd(limit: 1 << 26))
        }
    }

    /// - Parameter other: The database's present path, if it differs.
    func restore(to other: String? = nil) throws {
        let path = other ?? path
        try Index.delete(path: path)
        for part in parts {
            let file = try FileDescriptor.open(path + part.suffix, [.writeOnly, .create, .truncate])
            try part.bytes.withUnsafeBytes { try file.writeAll($0, at: 0) }
        }
    }
}

extension TestDomain {
    var journalPath: String { configuration.dataFolder + "/journal.db" }
    var indexPath: String { configuration.dataFolder + "/index.db" }

    func synchronized() async throws {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.durable.synchronize { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

extension OpenHandle {
    func synchronized() async throws(ProviderError) {
        let result = await withCheckedContinuation { continuation in
            synchronize { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}
