import Foundation

/// A temporary directory for one test, removed with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("types-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a file and returns its URL.
    func file(_ name: String, _ content: String = "") throws -> URL {
        try file(name, Data(content.utf8))
    }

    func file(_ name: String, _ content: Data) throws -> URL {
        let file = url.appendingPathComponent(name, isDirectory: false)
        try content.write(to: file)
        return file
    }

    func folder(_ name: String) throws -> URL {
        let folder = url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return folder
    }
}
