/// What is known of a dynamic type beyond its tag.
final class DynamicFacts: Sendable {
    /// The types it conforms to directly.
    let parents: [UTType]

    init(_ payload: DynamicIdentifier) {
        parents = payload.parents.compactMap { UTType(known: $0) }
    }
}

extension TypeIdentity {
    /// The facts of a dynamic type.
    var dynamicFacts: DynamicFacts {
        guard case .dynamic(let payload) = origin else { return .none }
        return DynamicFacts(payload)
    }
}

extension DynamicFacts {
    static let none = DynamicFacts(DynamicIdentifier(parents: [], tagClass: "", tag: ""))
}
