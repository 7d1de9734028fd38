/// The types that the system declares, compiled in (`Scripts/generate-core-types`).
///
/// The tables are built once, at first use, from ``table``. They are immutable, and all snapshots of the registry share
/// them.
package enum CoreTypes {
    /// Returns the type on line `index` of ``table``. The constants of ``UTType`` call it.
    @inline(__always)
    static func type(_ index: Int) -> UTType {
        UTType(identity: shared.identities[index])
    }

    package static let shared = Tables()

    package struct Tables: Sendable {
        package let identities: [TypeIdentity]
        package let properties: [TypeProperties]
        let identifiers: FoldedIndex
        let extensions: FoldedIndex
        let mimeTypes: FoldedIndex

        init() {
            let table = UnsafeBufferPointer(start: CoreTypes.table.utf8Start, count: CoreTypes.table.utf8CodeUnitCount)
            var lines: [Line] = []
            lines.reserveCapacity(CoreTypes.count)
            CoreTypes.forEachPiece(of: table, between: UInt8(ascii: "\n")) { lines.append(Line($0)) }

            var identities: [TypeIdentity] = []
            var properties: [TypeProperties] = []
            var identifiers: [(key: UnsafeBufferPointer<UInt8>, value: Int)] = []
            var (extensions, mimeTypes) = (identifiers, identifiers)
            // If several types have a tag, the first is preferred. Therefore the types that own the tag come before all
            // others.
            var (ownedExtensions, ownedMIMETypes) = (identifiers, identifiers)
            identities.reserveCapacity(lines.count)
            properties.reserveCapacity(lines.count)
            identifiers.reserveCapacity(lines.count)
            let closure = ConformanceClosure(parents: lines.map(\.parents))
            for (index, line) in lines.enumerated() {
                identifiers.append((line.identifier, index))
                for tag in line.extensions {
                    if tag.isOwned {
                        ownedExtensions.append((tag.text, index))
                    } else {
                        extensions.append((tag.text, index))
                    }
                }
                for tag in line.mimeTypes {
                    if tag.isOwned {
                        ownedMIMETypes.append((tag.text, index))
                    } else {
                        mimeTypes.append((tag.text, index))
                    }
                }
                identities.append(TypeIdentity(declared: CoreTypes.text(line.identifier), index: index))
                properties.append(
                    TypeProperties(
                        isDeclared: line.isDeclared, parents: line.parents,
                        extensions: line.extensions.map { CoreTypes.text($0.text) },
                        mimeTypes: line.mimeTypes.map { CoreTypes.text($0.text) },
                        description: line.description.isEmpty ? nil : CoreTypes.text(line.description),
                        ancestors: closure.sets[index]))
            }
            self.identities = identities
            self.properties = properties
            self.identifiers = FoldedIndex(identifiers)
            self.extensions = FoldedIndex(ownedExtensions + extensions)
            self.mimeTypes = FoldedIndex(ownedMIMETypes + mimeTypes)
        }
    }

    /// The indexes of the types that have a Swift constant, by the constant's name, such as `jpeg`.
    static let constants: [String: Int] = {
        let table = UnsafeBufferPointer(start: CoreTypes.table.utf8Start, count: CoreTypes.table.utf8CodeUnitCount)
        var constants: [String: Int] = [:]
        var index = 0
        forEachPiece(of: table, between: UInt8(ascii: "\n")) { bytes in
            let name = Line(bytes).constant
            if !name.isEmpty {
                constants[text(name)] = index
            }
            index += 1
        }
        return constants
    }()

    fileprivate static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with each piece of `bytes`, including empty pieces. Does not call it if `bytes` is empty.
    fileprivate static func forEachPiece(
        of bytes: UnsafeBufferPointer<UInt8>, between separator: UInt8, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var start = 0
        for place in 0..<bytes.count where bytes[place] == separator {
            body(UnsafeBufferPointer(rebasing: bytes[start..<place]))
            start = place + 1
        }
        if !bytes.isEmpty {
            body(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// One line of ``table``. Its bytes are static, and therefore stay valid.
    private struct Line {
        var identifier = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        var isDeclared = true
        var parents: [Int] = []
        var extensions: [Tag] = []
        var mimeTypes: [Tag] = []
        var description = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        var constant = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            let comma = UInt8(ascii: ",")
            var column = 0
            CoreTypes.forEachPiece(of: bytes, between: UInt8(ascii: "\t")) { piece in
                switch column {
                case 0: identifier = piece
                case 1 where piece.first == UInt8(ascii: "?"): isDeclared = false
                case 1:
                    CoreTypes.forEachPiece(of: piece, between: comma) { number in
                        parents.append(number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
                    }
                case 2: CoreTypes.forEachPiece(of: piece, between: comma) { extensions.append(Tag($0)) }
                case 3: CoreTypes.forEachPiece(of: piece, between: comma) { mimeTypes.append(Tag($0)) }
                case 4: description = piece
                default: constant = piece
                }
                column += 1
            }
        }
    }

    /// A tag of a line.
    private struct Tag {
        let text: UnsafeBufferPointer<UInt8>
        /// Whether this type is preferred to the other types that have the tag.
        let isOwned: Bool

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            isOwned = bytes.first == UInt8(ascii: "!")
            text = isOwned ? UnsafeBufferPointer(rebasing: bytes.dropFirst()) : bytes
        }
    }
}
