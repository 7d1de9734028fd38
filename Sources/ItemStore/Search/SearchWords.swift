import ItemValues
import UniformTypeIdentifiers

/// The properties by which the search file finds an item. Tags are not among them: few items have tags, and these items
/// are examined one by one.
struct SearchWords: Equatable {
    let name: String
    /// The identifier of the item's type.
    let type: String
    /// The month of the last modification, as a count of months of 30 days since 1970; `nil` if the date is not known.
    let month: Int64?

    init(_ item: IndexedItem) {
        name = item.name
        type = item.contentType
        month = Self.modified(item).map { Self.month(of: $0) }
    }

    /// Whether the words of the item `after` equal those of the item `before`.
    static func areSame(_ before: IndexedItem, _ after: IndexedItem) -> Bool {
        before.name.hasSameBytes(as: after.name) && before.item.contentType == after.item.contentType
            && before.item.kind == after.item.kind
            && modified(before).map({ month(of: $0) }) == modified(after).map { month(of: $0) }
    }

    static func modified(_ item: IndexedItem) -> Double? { item.localModified ?? item.item.modified }

    /// Returns the month of the given date in seconds since 1970, as a count of months of 30 days. Calendar months are
    /// not needed, because the month only narrows down the search.
    static func month(of seconds: Double) -> Int64 {
        // Bounded, because a provider may report any date: everything before 1900 is one month, and so is everything
        // after 2200.
        Int64(max(-852, min(2800, (seconds / 2_592_000).rounded(.down))))
    }
}

extension IndexedItem {
    /// The identifier of the item's type. If the provider does not report it, it is derived from the item's kind and
    /// name.
    package var contentType: String {
        if !item.contentType.isEmpty { return item.contentType }
        switch item.kind {
        case .folder: return UTType.folder.identifier
        case .symbolicLink: return UTType.symbolicLink.identifier
        case .file:
            guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return UTType.data.identifier }
            let suffix = String(name[name.index(after: dot)...])
            return UTType(filenameExtension: suffix)?.identifier ?? UTType.data.identifier
        }
    }
}

/// A set of wanted types. Whether an item's type conforms to one of them is determined only once for each type.
struct WantedTypes {
    private let wanted: [UTType]
    private let identifiers: Set<String>
    private var known: [String: Bool] = [:]

    init(_ identifiers: [String]) {
        self.identifiers = Set(identifiers)
        wanted = identifiers.compactMap { UTType($0) }
    }

    var isEmpty: Bool { identifiers.isEmpty }

    mutating func contains(_ identifier: String) -> Bool {
        if let answer = known[identifier] { return answer }
        let type = UTType(identifier)
        let answer = identifiers.contains(identifier) || wanted.contains { type?.conforms(to: $0) == true }
        if known.count < 10_000 { known[identifier] = answer }
        return answer
    }
}
