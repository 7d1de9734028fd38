import Foundation

/// What one snapshot of the registry knows of one declared type.
package final class TypeFacts: Sendable {
    /// False for an identifier that declarations name as a parent but nobody declares.
    package let isDeclared: Bool
    /// Whether only an imported declaration stands for the type.
    package let isImported: Bool
    /// Indexes of the types this one is declared to conform to, in declaration order.
    package let parents: [Int]
    /// Tags in declaration order; the first of each is the preferred one.
    package let extensions: [String]
    package let mimeTypes: [String]
    /// Tags of other classes, such as `com.apple.ostype`.
    package let otherTags: [String: [String]]
    /// The type's own description.
    package let description: String?
    package let version: Int?
    package let referenceURL: URL?
    /// The bundle that declares the type; nil for the system's types.
    package let bundle: URL?
    /// The closure of conformance, reflexive and transitive: bit n is set if the type conforms to the type of index n.
    package let ancestors: [UInt64]

    init(
        isDeclared: Bool, isImported: Bool = false, parents: [Int], extensions: [String], mimeTypes: [String],
        otherTags: [String: [String]] = [:], description: String?, version: Int? = nil, referenceURL: URL? = nil,
        bundle: URL? = nil,
        ancestors: [UInt64]
    ) {
        self.isDeclared = isDeclared
        self.isImported = isImported
        self.parents = parents
        self.extensions = extensions
        self.mimeTypes = mimeTypes
        self.otherTags = otherTags
        self.description = description
        self.version = version
        self.referenceURL = referenceURL
        self.bundle = bundle
        self.ancestors = ancestors
    }

    /// Whether the type conforms to the type of index `other`, itself included.
    @inline(__always)
    package func conforms(to other: Int) -> Bool {
        let word = other >> 6
        return word < ancestors.count && ancestors[word] & (1 << UInt64(other & 63)) != 0
    }

    /// Whether `row`, which may be longer, says the same as ``ancestors``.
    func reaches(exactly row: [UInt64]) -> Bool {
        row.starts(with: ancestors) && row.dropFirst(ancestors.count).allSatisfy { $0 == 0 }
    }

    /// The closure of conformance of the type `index`, given everybody's parents.
    ///
    /// Declarations come from files, so they may be circular: a type that was seen is not entered again.
    static func closure(of index: Int, parents: (Int) -> [Int], count: Int) -> [UInt64] {
        var row = [UInt64](repeating: 0, count: (count + 63) / 64)
        row[index >> 6] |= 1 << UInt64(index & 63)
        var pending = parents(index)
        while let next = pending.popLast() {
            let bit: UInt64 = 1 << UInt64(next & 63)
            if row[next >> 6] & bit == 0 {
                row[next >> 6] |= bit
                pending.append(contentsOf: parents(next))
            }
        }
        return row
    }
}
