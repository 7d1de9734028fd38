import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// The dictionary form of an activation rule: the kinds and numbers of attachments that an extension accepts.
///
/// Every attachment must be of a kind that the rule names, and no kind may have more attachments than the rule permits.
/// An attachment counts as the first kind that includes one of the attachment's types. Only kinds that the rule names
/// are considered, in the order image, movie, web page, web URL, text, file. Unknown keys are ignored.
struct ActivationCounts: Sendable, Equatable {
    private enum Kind: String, CaseIterable {
        case image = "NSExtensionActivationSupportsImageWithMaxCount"
        case movie = "NSExtensionActivationSupportsMovieWithMaxCount"
        case webPage = "NSExtensionActivationSupportsWebPageWithMaxCount"
        case webURL = "NSExtensionActivationSupportsWebURLWithMaxCount"
        case text = "NSExtensionActivationSupportsText"
        case file = "NSExtensionActivationSupportsFileWithMaxCount"

        /// Whether an attachment with the registered type `type` is of this kind.
        func includes(_ type: String) -> Bool {
            func conforms(to parents: UTType...) -> Bool {
                parents.contains { TypeIdentifier.conforms(type, to: $0.identifier) }
            }
            return switch self {
            case .image: conforms(to: .image)
            case .movie: conforms(to: .movie)
            case .webPage: conforms(to: .propertyList, .html, .webArchive)
            case .webURL: conforms(to: .url) && !conforms(to: .fileURL)
            case .text: conforms(to: .text)
            case .file: conforms(to: .fileURL, .data, .directory)
            }
        }
    }

    private let limits: [Kind: Int]
    private let fewest: Int
    private let most: Int
    /// Whether each type of an attachment must belong to a kind that the rule names. If `false`, one such type
    /// suffices.
    private let isStrict: Bool

    init(_ values: [String: Any]) throws(ActivationRule.RuleError) {
        func number(_ key: String) throws(ActivationRule.RuleError) -> Int? {
            guard let value = values[key] else { return nil }
            if let number = value as? NSNumber { return max(0, number.intValue) }
            guard let text = value as? String, let number = Int(text) else {
                throw ActivationRule.RuleError("\(key) is not a number")
            }
            return max(0, number)
        }
        var limits: [Kind: Int] = [:]
        for kind in Kind.allCases {
            guard let limit = try number(kind.rawValue), limit > 0 else { continue }
            limits[kind] = kind == .text ? Int.max : limit
        }
        self.limits = limits
        fewest = try number("NSExtensionActivationSupportsAttachmentsWithMinCount") ?? 1
        most = try number("NSExtensionActivationSupportsAttachmentsWithMaxCount") ?? Int.max
        isStrict = try number("NSExtensionActivationUsesStrictMatching") ?? 0 > 0
    }

    func accepts(_ items: [ActivationRule.Item]) -> Bool {
        let attachments = items.flatMap(\.attachments)
        guard !attachments.isEmpty, attachments.count >= fewest, attachments.count <= most else { return false }
        // A rule that names no kinds limits only the number of attachments. Without a maximum number, it accepts
        // nothing.
        if limits.isEmpty { return most != Int.max }
        var counts: [Kind: Int] = [:]
        for types in attachments {
            let kinds = Kind.allCases.filter { limits[$0] != nil }
            guard let kind = kinds.first(where: { types.contains(where: $0.includes) }) else { return false }
            if isStrict, !types.allSatisfy({ type in kinds.contains { $0.includes(type) } }) { return false }
            counts[kind, default: 0] += 1
        }
        return counts.allSatisfy { $0.value <= limits[$0.key] ?? 0 }
    }
}
