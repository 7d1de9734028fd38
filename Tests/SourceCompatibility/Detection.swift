// swift-format-ignore-file

import Foundation

/// The detection that a browser's address field makes before it shows its menu.
final class PasteMenu: @unchecked Sendable {
    private(set) var canPasteAndGo = false
    private(set) var canPasteAndSearch = false
    private let pasteboard: UIPasteboard

    init(_ pasteboard: UIPasteboard = .general) {
        self.pasteboard = pasteboard
    }

    static func refresh() {
        UIPasteboard.general.detectPatterns(for: [.probableWebURL]) { result in
            if case .success(let patterns) = result, patterns.contains(.probableWebURL) {
                print("paste and go")
            }
        }
    }

    func update(completion: @escaping @Sendable () -> Void) {
        pasteboard.detectPatterns(for: [.probableWebURL, .probableWebSearch]) { [weak self] result in
            guard let self = self else { return }
            switch result {
            case .success(let detectedPatterns):
                DispatchQueue.main.async {
                    self.canPasteAndGo = detectedPatterns.contains(.probableWebURL)
                    self.canPasteAndSearch = detectedPatterns.contains(UIPasteboard.DetectionPattern.probableWebSearch)
                    completion()
                }
            case .failure(let error):
                print(error.localizedDescription)
                completion()
            }
        }
    }

    func readURL(_ completion: @escaping @Sendable (URL?) -> Void) {
        pasteboard.detectValues(for: [.probableWebURL]) { result in
            guard let values = try? result.get(), let string = values[.probableWebURL] as? String else {
                return completion(nil)
            }
            completion(URL(string: string))
        }
    }

    func values() async throws -> (String, Double?) {
        let values = try await pasteboard.detectedValues(for: [\.probableWebURL, \.number])
        if values.patterns.contains(\.probableWebURL) {
            return (values.probableWebURL, nil)
        }
        return ("", values.number)
    }

    @MainActor func contacts() async throws -> [String] {
        let patterns = try await pasteboard.detectedPatterns(for: [\.phoneNumbers, \.emailAddresses])
        guard !patterns.isEmpty else { return [] }
        let detected = try await pasteboard.detectedValues(for: patterns, inItemSet: IndexSet(integer: 0))
        return detected.flatMap { $0.phoneNumbers.map(\.phoneNumber) + $0.emailAddresses.map(\.emailAddress) }
    }
}
