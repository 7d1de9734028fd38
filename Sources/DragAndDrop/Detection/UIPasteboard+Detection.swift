import DataDetection
import Foundation
import ItemProvider
import LinuxSystem

/// Detection of patterns in the contents of a pasteboard.
///
/// Detection reads the first 64 KiB of an item's text, or of its URL if it has no text, and no other data. An item
/// without text and URL has no patterns. The caller's thread is not blocked: handlers are called once, on a separate
/// queue. Errors come from loading the text (``NSItemProvider``'s domain) or from connecting to the pasteboard.
/// `itemUnavailableError` means that the item set contains a position at which the pasteboard has no item.
///
/// As on Apple's platforms, the functions without an item set examine the first item. An empty pasteboard has no
/// patterns.
extension UIPasteboard {
    // MARK: - Patterns

    /// Detects which of the given patterns the first item matches.
    public func detectPatterns(
        for patterns: Set<DetectionPattern>,
        completionHandler: @escaping @Sendable (Result<Set<DetectionPattern>, any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(patterns), in: .first) { result in
            completionHandler(result.map { Set($0.first?.byPattern.keys.map { $0 } ?? []) })
        }
    }

    /// Detects which of the given patterns the first item has.
    public func detectPatterns(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>,
        completionHandler: @escaping @Sendable (Result<Set<PartialKeyPath<DetectedValues>>, any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(keyPaths), in: .first) { result in
            completionHandler(result.map { $0.first?.patterns ?? [] })
        }
    }

    /// Detects which of the given patterns the first item has.
    public func detectedPatterns(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>
    ) async throws -> Set<PartialKeyPath<DetectedValues>> {
        try await detect(DetectedKind.kinds(keyPaths), in: .first).first?.patterns ?? []
    }

    /// Detects, for each item in `itemSet`, which of the given patterns the item matches. If `itemSet` is `nil`,
    /// examines all items. The results are in the order of the items.
    public func detectPatterns(
        for patterns: Set<DetectionPattern>, inItemSet itemSet: IndexSet?,
        completionHandler: @escaping @Sendable (Result<[Set<DetectionPattern>], any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(patterns), in: .items(itemSet)) { result in
            completionHandler(result.map { $0.map { Set($0.byPattern.keys) } })
        }
    }

    /// Detects, for each item in `itemSet`, which of the given patterns the item has. If `itemSet` is `nil`, examines
    /// all items. The results are in the order of the items.
    public func detectPatterns(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?,
        completionHandler: @escaping @Sendable (Result<[Set<PartialKeyPath<DetectedValues>>], any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(keyPaths), in: .items(itemSet)) { result in
            completionHandler(result.map { $0.map(\.patterns) })
        }
    }

    /// Detects, for each item in `itemSet`, which of the given patterns the item has. If `itemSet` is `nil`, examines
    /// all items. The results are in the order of the items.
    public func detectedPatterns(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?
    ) async throws -> [Set<PartialKeyPath<DetectedValues>>] {
        try await detect(DetectedKind.kinds(keyPaths), in: .items(itemSet)).map(\.patterns)
    }

    // MARK: - Values

    /// Detects the values of those given patterns that the first item matches: strings, and for a number a `Double`.
    public func detectValues(
        for patterns: Set<DetectionPattern>,
        completionHandler: @escaping @Sendable (Result<[DetectionPattern: Any], any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(patterns), in: .first) { result in
            completionHandler(result.map { $0.first?.byPattern ?? [:] })
        }
    }

    /// Detects the values of those given patterns that the first item has.
    public func detectValues(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>,
        completionHandler: @escaping @Sendable (Result<DetectedValues, any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(keyPaths), in: .first) { result in
            completionHandler(result.map { $0.first ?? DetectedValues() })
        }
    }

    /// Detects the values of those given patterns that the first item has.
    public func detectedValues(for keyPaths: Set<PartialKeyPath<DetectedValues>>) async throws -> DetectedValues {
        try await detect(DetectedKind.kinds(keyPaths), in: .first).first ?? DetectedValues()
    }

    /// Detects, for each item in `itemSet`, the values of those given patterns that the item matches. If `itemSet` is
    /// `nil`, examines all items. The results are in the order of the items.
    public func detectValues(
        for patterns: Set<DetectionPattern>, inItemSet itemSet: IndexSet?,
        completionHandler: @escaping @Sendable (Result<[[DetectionPattern: Any]], any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(patterns), in: .items(itemSet)) { result in
            completionHandler(result.map { $0.map(\.byPattern) })
        }
    }

    /// Detects, for each item in `itemSet`, the values of those given patterns that the item has. If `itemSet` is
    /// `nil`, examines all items. The results are in the order of the items.
    public func detectValues(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?,
        completionHandler: @escaping @Sendable (Result<[DetectedValues], any Error>) -> Void
    ) {
        detect(DetectedKind.kinds(keyPaths), in: .items(itemSet), completionHandler)
    }

    /// Detects, for each item in `itemSet`, the values of those given patterns that the item has. If `itemSet` is
    /// `nil`, examines all items. The results are in the order of the items.
    public func detectedValues(
        for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?
    ) async throws -> [DetectedValues] {
        try await detect(DetectedKind.kinds(keyPaths), in: .items(itemSet))
    }

    // MARK: - Detection

    private func detect(
        _ kinds: Set<DetectedKind>, in selection: PasteboardSelection,
        _ completionHandler: @escaping @Sendable (Result<[DetectedValues], any Error>) -> Void
    ) {
        Task {
            let result: Result<[DetectedValues], any Error>
            do {
                result = .success(try await detect(kinds, in: selection))
            } catch {
                result = .failure(error)
            }
            // The completion handler is code of the program, which may block.
            HandlerThreads.shared.run { completionHandler(result) }
        }
    }

    private func detect(
        _ kinds: Set<DetectedKind>, in selection: PasteboardSelection
    ) async throws -> [DetectedValues] {
        let (boards, board) = (boards, board)
        let items = try await blocking { try selection.of(boards.items(of: board)).map(\.promise) }
        var detected: [DetectedValues] = []
        for item in items {
            guard !kinds.isEmpty, let beginning = try await item.textBeginning(upTo: DetectionText.limit) else {
                detected.append(DetectedValues())
                continue
            }
            detected.append(
                try await blocking {
                    PatternDetector.values(of: kinds, in: DetectionText(beginning.text, isWhole: beginning.isWhole))
                })
        }
        return detected
    }
}

/// The items to examine.
private enum PasteboardSelection: Sendable {
    case first
    case items(IndexSet?)

    func of(_ items: [NSItemProvider]) throws -> [NSItemProvider] {
        switch self {
        case .first: return Array(items.prefix(1))
        case .items(nil): return items
        case .items(let itemSet?):
            if let last = itemSet.last, last >= items.count {
                throw ItemProviderError.make(
                    .itemUnavailableError, "There is no item at position \(last): the pasteboard has \(items.count)")
            }
            return itemSet.map { items[$0] }
        }
    }
}

/// Runs a function that blocks, or takes processor time, outside of Swift's task pool.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        HandlerThreads.shared.run { continuation.resume(with: Result { try body() }) }
    }
}
