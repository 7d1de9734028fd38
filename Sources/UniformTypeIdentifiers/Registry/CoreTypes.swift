/// The types that the system declares, compiled in (`Scripts/generate-core-types`).
///
/// Built once, at first use, from ``table``; everything here is immutable and the same in every snapshot of the registry.
enum CoreTypes {
    /// The type on line `index` of ``table``; the constants of ``UTType`` come here.
    @inline(__always)
    static func type(_ index: Int) -> UTType {
        UTType(identity: shared.identities[index])
    }

    static let shared = Tables()

    struct Tables: Sendable {
        let identities: [TypeIdentity]
        let facts: [TypeFacts]
        let identifiers: FoldedIndex
        let extensions: FoldedIndex
        let mimeTypes: FoldedIndex
        /// Names of the Swift constants, such as `jpeg`.
        let constants: [String: Int]

        init() {
            let table = UnsafeBufferPointer(start: CoreTypes.table.utf8Start, count: CoreTypes.table.utf8CodeUnitCount)
            let lines = Self.split(table, at: UInt8(ascii: "\n")).map { Line($0) }
            let parents = lines.map(\.parents)

            identities = lines.enumerated().map { TypeIdentity(declared: $1.identifier, index: $0) }
            facts = lines.enumerated().map { index, line in
                TypeFacts(
                    isDeclared: line.isDeclared, parents: line.parents,
                    extensions: line.extensions.map { String(decoding: $0, as: UTF8.self) },
                    mimeTypes: line.mimeTypes.map { String(decoding: $0, as: UTF8.self) },
                    description: line.description,
                    ancestors: TypeFacts.closure(of: index, parents: { parents[$0] }, count: lines.count))
            }
            identifiers = FoldedIndex(lines.enumerated().lazy.map { ($1.columns[0], $0) })
            extensions = FoldedIndex(Self.tags(lines, \.extensions))
            mimeTypes = FoldedIndex(Self.tags(lines, \.mimeTypes))
            constants = Dictionary(
                lines.enumerated().compactMap { index, line in line.constant.map { ($0, index) } },
                uniquingKeysWith: { first, _ in first })
        }

        private static func tags(
            _ lines: [Line], _ column: KeyPath<Line, [UnsafeBufferPointer<UInt8>]>
        ) -> [(key: UnsafeBufferPointer<UInt8>, value: Int)] {
            lines.enumerated().flatMap { index, line in line[keyPath: column].map { ($0, index) } }
        }

        fileprivate static func split(
            _ bytes: UnsafeBufferPointer<UInt8>, at separator: UInt8
        ) -> [UnsafeBufferPointer<UInt8>] {
            bytes.isEmpty
                ? []
                : bytes.split(separator: separator, omittingEmptySubsequences: false)
                    .map { UnsafeBufferPointer(rebasing: $0) }
        }
    }

    /// One line of ``table``, whose bytes are static and so stay valid.
    private struct Line {
        let columns: [UnsafeBufferPointer<UInt8>]
        let isDeclared: Bool
        let parents: [Int]
        let extensions: [UnsafeBufferPointer<UInt8>]
        let mimeTypes: [UnsafeBufferPointer<UInt8>]

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            let columns = Tables.split(bytes, at: UInt8(ascii: "\t"))
            let lists = (1...3).map { number in
                number < columns.count ? Tables.split(columns[number], at: UInt8(ascii: ",")) : []
            }
            self.columns = columns
            isDeclared = lists[0].first?.first != UInt8(ascii: "?")
            parents = isDeclared ? lists[0].map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } } : []
            extensions = lists[1]
            mimeTypes = lists[2]
        }

        var identifier: String { String(decoding: columns[0], as: UTF8.self) }
        var description: String? { text(4) }
        var constant: String? { text(5) }

        private func text(_ number: Int) -> String? {
            number < columns.count && !columns[number].isEmpty ? String(decoding: columns[number], as: UTF8.self) : nil
        }
    }
}
