import Foundation
import Glibc
import Purvey
import Synchronization

/// The program's coordinated access to files.
final class CoordinatedFiles: Sendable {
    /// Sendable: the coordinator is set up before it is shared, and afterwards only functions are called that any
    /// thread may call.
    private struct Waiting: @unchecked Sendable { let coordinator: NSFileCoordinator }
    private struct State {
        var ends: [DispatchSemaphore] = []
        var waiting: Waiting?
    }
    private let state = Mutex(State())

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static func coordinate(
        _ path: String, _ coordinator: NSFileCoordinator = NSFileCoordinator(),
        _ options: NSFileCoordinator.ReadingOptions = [], _ body: (URL) throws -> String
    ) throws -> String {
        var problem: NSError?
        var result: Result<String, any Error>?
        coordinator.coordinate(readingItemAt: URL(fileURLWithPath: path), options: options, error: &problem) { url in
            result = Result { try body(url) }
        }
        if let problem { throw problem }
        return try result?.get() ?? "nothing was done"
    }

    private static func text(_ url: URL) -> String { (try? String(contentsOf: url, encoding: .utf8)) ?? "none" }

    func read(_ path: String) async throws -> String {
        try await onThread { try Self.coordinate(path) { Self.text($0) } }
    }

    func metadata(_ path: String) async throws -> String {
        try await onThread {
            try Self.coordinate(path, NSFileCoordinator(), .immediatelyAvailableMetadataOnly) { url in
                let files = FileManager.default
                if files.fileExists(atPath: url.path) { return "file" }
                let placeholder = NSFileProviderManager.placeholderURL(for: url)
                return files.fileExists(atPath: placeholder.path) ? "placeholder" : "nothing"
            }
        }
    }

    func write(_ path: String, _ text: String, _ options: NSFileCoordinator.WritingOptions) async throws -> String {
        try await onThread {
            var problem: NSError?
            var result: Result<String, any Error>?
            NSFileCoordinator().coordinate(
                writingItemAt: URL(fileURLWithPath: path), options: options, error: &problem
            ) { url in
                result = Result {
                    let before = Self.text(url)
                    try Data(text.utf8).write(to: url)
                    return before
                }
            }
            if let problem { throw problem }
            return try result?.get() ?? "nothing was done"
        }
    }

    /// Writes a file in two parts, the second part after `release`.
    func edit(_ path: String, _ first: String, _ second: String) async throws -> String {
        let end = DispatchSemaphore(value: 0)
        state.withLock { $0.ends.append(end) }
        return try await onThread {
            var problem: NSError?
            var isWritten = false
            NSFileCoordinator().coordinate(writingItemAt: URL(fileURLWithPath: path), options: [], error: &problem) {
                let file = open($0.path, O_WRONLY | O_TRUNC)
                isWritten = Glibc.write(file, first, first.utf8.count) == first.utf8.count
                Script.say("editing")
                end.wait()
                isWritten = Glibc.write(file, second, second.utf8.count) == second.utf8.count && isWritten
                close(file)
            }
            if let problem { throw problem }
            return isWritten ? "done" : "nothing"
        }
    }

    func hold(_ path: String) async throws -> String {
        let end = DispatchSemaphore(value: 0)
        state.withLock { $0.ends.append(end) }
        return try await onThread {
            try Self.coordinate(path) { url in
                Script.say("holding \(Self.text(url))")
                end.wait()
                return Self.text(url)
            }
        }
    }

    func release() -> String {
        state.withLock { $0.ends.popLast() }?.signal()
        return "done"
    }

    func wait(_ path: String) async throws -> String {
        let coordinator = NSFileCoordinator()
        let waiting = Waiting(coordinator: coordinator)
        state.withLock { $0.waiting = waiting }
        return try await onThread { try Self.coordinate(path, waiting.coordinator) { Self.text($0) } }
    }

    func cancel() -> String {
        state.withLock { $0.waiting }?.coordinator.cancel()
        return "done"
    }
}
