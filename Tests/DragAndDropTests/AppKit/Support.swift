import Dispatch
import DragAndDrop
import Foundation
import Synchronization

/// Two programs that share boards, simulated within one process.
struct Programs: Sendable {
    let boards = LocalBoards()
    let writer: NSPasteboard
    let reader: NSPasteboard

    init(patience: DispatchTimeInterval = .seconds(600), patienceForFiles: DispatchTimeInterval = .seconds(600)) {
        writer = NSPasteboard(
            .general, PasteboardStore(boards, patience: patience, patienceForFiles: patienceForFiles))
        reader = NSPasteboard(
            .general, PasteboardStore(boards, patience: patience, patienceForFiles: patienceForFiles))
    }
}

/// Runs a function outside Swift's task pool, because pasteboards block.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Waits until a condition holds that another thread brings about.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    for _ in 0..<60_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}

/// The calls so far, in order.
final class Calls: Sendable {
    private let calls = Mutex<[String]>([])

    func add(_ call: String) { calls.withLock { $0.append(call) } }

    var all: [String] { calls.withLock { $0 } }
}

/// A test's own directory.
struct TestFolder: ~Copyable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("pasteboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
