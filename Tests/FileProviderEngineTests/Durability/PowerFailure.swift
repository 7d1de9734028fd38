import FileProvider
import FileProviderEngine
import FileTesting
import LinuxSystem

/// What a disk has of a database at one moment, to be put in its place again: as after a power failure, which takes what came later.
struct DatabaseImage {
    private let parts: [(suffix: String, bytes: [UInt8])]
    private let path: String

    /// - Parameter path: the database's. What somebody commits meanwhile may be in it or not.
    init(_ path: String) throws {
        self.path = path
        parts = try ["", "-wal"].map { suffix in
            (suffix, try FileDescriptor.open(path + suffix, .readOnly).readToEnd(limit: 1 << 26))
        }
    }

    /// - Parameter other: the database's path now, where it is another one.
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
            engine.synchronize { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

extension OpenItem {
    func synchronized() async throws(ProviderFailure) {
        let result = await withCheckedContinuation { continuation in
            synchronize { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}
