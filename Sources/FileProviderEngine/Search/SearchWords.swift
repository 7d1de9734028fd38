import FileProvider
import UniformTypeIdentifiers

/// What an item is found by, besides the tags, which are few and looked through.
struct SearchWords: Equatable {
    let name: String
    /// The identifier of its type.
    let type: String
    /// The month of its last modification, counted from 1970; `nil` where that is not known.
    let month: Int64?

    init(_ item: IndexedItem) {
        name = item.name
        type = item.contentType
        month = Self.modified(item).map { Self.month(of: $0) }
    }

    /// Whether an item is found by the same words as before.
    static func areSame(_ before: IndexedItem, _ after: IndexedItem) -> Bool {
        before.name.hasSameBytes(as: after.name) && before.item.contentType == after.item.contentType
            && before.item.kind == after.item.kind
            && modified(before).map({ month(of: $0) }) == modified(after).map { month(of: $0) }
    }

    static func modified(_ item: IndexedItem) -> Double? { item.localModified ?? item.item.modified }

    /// Months of a thirtieth of a year each do as well as the calendar's: they only narrow down where to look.
    static func month(of seconds: Double) -> Int64 {
        // What a provider says may be anything: all that is before 1900 is one month, and all that is after 2200.
        Int64(max(-852, min(2800, (seconds / 2_592_000).rounded(.down))))
    }
}

extension IndexedItem {
    /// The identifier of its type: what the provider said, or what goes without saying.
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

/// Which types are among those that are looked for; each is asked once.
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
