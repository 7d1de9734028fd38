import FileProvider
import Foundation
import Synchronization

/// An observer that collects the names on an enumerator's first page.
final class VaultSetObserver: NSObject, NSFileProviderEnumerationObserver, Sendable {
    private struct State {
        var names: [String] = []
        var continuation: CheckedContinuation<String, any Error>?
    }
    private let state: Mutex<State>

    private init(_ continuation: CheckedContinuation<String, any Error>) {
        state = Mutex(State(continuation: continuation))
    }

    static func names(_ enumerator: any NSFileProviderEnumerator) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateItems(for: VaultSetObserver(continuation), startingAt: NSFileProviderPage(Data()))
        }
    }

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {
        let names = updatedItems.map(\.filename)
        state.withLock { $0.names += names }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) {
        let (names, continuation) = state.withLock { ($0.names, $0.continuation.take()) }
        continuation?.resume(returning: names.sorted().joined(separator: " "))
    }

    func finishEnumeratingWithError(_ error: any Error) {
        state.withLock { $0.continuation.take() }?.resume(throwing: error)
    }
}
