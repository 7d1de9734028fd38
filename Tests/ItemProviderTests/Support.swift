import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

/// The result of a load with a completion handler, and its progress.
struct Loaded<Value: Sendable>: Sendable {
    let value: Value
    let progress: Progress
}

/// Waits for a load with a completion handler.
func loaded<Value: Sendable>(
    _ start: (@escaping @Sendable (Value) -> Void) -> Progress
) async -> Loaded<Value> {
    let started = Mutex<Progress?>(nil)
    let value = await withCheckedContinuation { continuation in
        let progress = start { continuation.resume(returning: $0) }
        started.withLock { $0 = progress }
    }
    return Loaded(value: value, progress: started.withLock { $0 } ?? Progress.discreteProgress(totalUnitCount: 1))
}

/// The state of a received file before its completion handler returned.
struct SeenFile: Sendable {
    var path = ""
    var contents: Data?
    var isInPlace = false
    var isDirectory = false
    var names: [String] = []
    var error: NSError?

    init(_ url: URL?, isInPlace: Bool, error: (any Error)?) {
        self.error = error as NSError?
        guard let url else { return }
        path = url.path
        self.isInPlace = isInPlace
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        self.isDirectory = isDirectory.boolValue
        if self.isDirectory {
            names = (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? []
        } else {
            contents = FileManager.default.contents(atPath: path)
        }
    }

    var name: String { (path as NSString).lastPathComponent }
}

extension NSItemProvider {
    func data(_ type: String) async -> (data: Data?, error: NSError?) {
        await loaded { done in
            self.loadDataRepresentation(forTypeIdentifier: type) { done(($0, $1 as NSError?)) }
        }.value
    }

    func copy(_ type: String) async -> SeenFile {
        await loaded { done in
            self.loadFileRepresentation(forTypeIdentifier: type) { done(SeenFile($0, isInPlace: false, error: $1)) }
        }.value
    }

    func original(_ type: String) async -> SeenFile {
        await loaded { done in
            self.loadInPlaceFileRepresentation(forTypeIdentifier: type) {
                done(SeenFile($0, isInPlace: $1, error: $2))
            }
        }.value
    }
}

/// Waits until a file is removed. A received file is removed after its completion handler has returned, and thus after
/// the handler has reported the file.
func untilGone(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await until({ !FileManager.default.fileExists(atPath: path) }, sourceLocation: sourceLocation)
}

/// A test's own directory, removed with it.
final class Scratch: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("purvey-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A removal that races with another one leaves the rest, so it is repeated.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: url.path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    func file(_ name: String, _ contents: String = "contents") throws -> URL {
        try file(name, Data(contents.utf8))
    }

    func file(_ name: String, _ contents: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: file)
        return file
    }

    /// Returns a directory `Notes` with a file, a subdirectory, and a link that points out of it.
    func tree() throws -> URL {
        _ = try file("outside.txt", "secret")
        _ = try file("Notes/a.txt", "alpha")
        _ = try file("Notes/more/b.txt", "beta")
        let root = url.appendingPathComponent("Notes")
        try FileManager.default.createSymbolicLink(
            atPath: root.appendingPathComponent("link").path, withDestinationPath: "../outside.txt")
        return root
    }
}

extension NSError {
    var isItemUnavailable: Bool {
        domain == NSItemProvider.errorDomain && code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue
    }

    var isCancellation: Bool { domain == NSCocoaErrorDomain && code == CocoaError.userCancelled.rawValue }

    var underlying: NSError? { userInfo[NSUnderlyingErrorKey] as? NSError }
}
