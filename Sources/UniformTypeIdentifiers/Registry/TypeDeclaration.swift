import Foundation

/// One entry of `UTExportedTypeDeclarations` or `UTImportedTypeDeclarations` in a bundle's property list.
package struct TypeDeclaration: Sendable, Equatable {
    /// `UTTypeIdentifier`.
    package var identifier: String
    /// Whether the bundle owns the type. Otherwise, another program owns the type, and this imported declaration is
    /// used if that program is not installed.
    package var isExported: Bool
    /// `UTTypeConformsTo`, in declaration order.
    package var parents: [String] = []
    /// `UTTypeTagSpecification`: tags by class, in declaration order.
    package var tags: [String: [String]] = [:]
    /// `UTTypeDescription`.
    package var description: String?
    /// `UTTypeVersion`.
    package var version: Int?
    /// `UTTypeReferenceURL`.
    package var referenceURL: URL?
    /// The bundle that contains the declaration, if it is known.
    package var bundle: URL?
    /// Whether the tags are used only if the system has no meaning for them, as with types of a collection.
    var yieldsTags = false

    package init(
        identifier: String, isExported: Bool, parents: [String] = [], tags: [String: [String]] = [:],
        description: String? = nil
    ) {
        self.identifier = identifier
        self.isExported = isExported
        self.parents = parents
        self.tags = tags
        self.description = description
    }

    /// Reads one entry. Values of a wrong kind make the entry unusable; unknown keys are ignored.
    init(propertyList entry: Any, isExported: Bool) throws(Malformed) {
        guard let entry = entry as? [String: Any] else { throw Malformed(reason: "the entry is not a dictionary") }
        guard let identifier = entry["UTTypeIdentifier"] as? String else {
            throw Malformed(reason: "UTTypeIdentifier is missing or not a string")
        }
        guard Self.isValid(identifier: identifier) else {
            throw Malformed(
                reason: "\(Self.quoted(identifier)) is not a type identifier (letters, digits, dots and hyphens)")
        }
        self.identifier = identifier
        self.isExported = isExported
        parents = try Self.strings(
            entry["UTTypeConformsTo"], "UTTypeConformsTo of \(identifier)", atMost: Self.mostParents)
        // A dynamic type cannot be a parent either. It cannot be declared, because it represents a tag that no
        // declaration has.
        if let bad = parents.first(where: { !Self.isValid(identifier: $0) }) {
            throw Malformed(
                reason:
                    "\(Self.quoted(bad)) in UTTypeConformsTo of \(identifier) is not an identifier of a declared type")
        }
        if let specification = entry["UTTypeTagSpecification"] {
            guard let specification = specification as? [String: Any] else {
                throw Malformed(reason: "UTTypeTagSpecification of \(identifier) is not a dictionary")
            }
            for (tagClass, value) in specification {
                let list = try Self.strings(
                    value, "\(Self.quoted(tagClass)) of \(identifier)", atMost: Self.mostTags)
                let tagClass = UTTagClass(rawValue: tagClass)
                if let bad = list.first(where: { !Self.isUsable(tag: $0, of: tagClass) }) {
                    let kind =
                        switch tagClass {
                        case .filenameExtension: "a filename extension"
                        case .mimeType: "a MIME type"
                        default: "a tag of class \(Self.quoted(tagClass.rawValue))"
                        }
                    throw Malformed(reason: "\(Self.quoted(bad)) of \(identifier) is not \(kind)")
                }
                tags[tagClass.rawValue] = list
            }
        }
        description = entry["UTTypeDescription"] as? String
        // The version may be a number or a string.
        version = entry["UTTypeVersion"] as? Int ?? (entry["UTTypeVersion"] as? String).flatMap { Int($0) }
        referenceURL = (entry["UTTypeReferenceURL"] as? String).flatMap { URL(string: $0) }
    }

    /// The reason why an entry cannot be used.
    struct Malformed: Error {
        let reason: String
    }

    /// Reads a list, which is an array of strings in a property list. A list with one element may also be a single
    /// string.
    private static func strings(_ value: Any?, _ name: String, atMost most: Int) throws(Malformed) -> [String] {
        switch value {
        case nil: return []
        case let string as String: return [string]
        case let strings as [String]:
            guard strings.count <= most else { throw Malformed(reason: "\(name) has more than \(most) entries") }
            return strings
        default: throw Malformed(reason: "\(name) is neither a string nor an array of strings")
        }
    }

    // These limits bound the cost of one property list in every process of the user. Real property lists stay far below
    // them.
    private static let mostParents = 64
    private static let mostTags = 512
    private static let mostDeclarations = 1000
    /// The maximum number of bytes of an identifier and of a tag. No file name is longer.
    private static let longestText = 255

    /// Whether a tag is valid in its class. An entry with an invalid tag is malformed, because look-ups cannot find it.
    private static func isUsable(tag: String, of tagClass: UTTagClass) -> Bool {
        guard !tag.isEmpty, tag.utf8.count <= longestText, Tag.isPossible(tag, of: tagClass) else { return false }
        return tagClass != .filenameExtension || !tag.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Returns text from a file in a form for messages: quoted, on one line, and shortened if it is long.
    private static func quoted(_ text: String) -> String {
        text.count > 80 ? String(text.prefix(80)).debugDescription + "…" : text.debugDescription
    }

    /// Whether `identifier` has only characters of a type identifier and is not in the namespace of dynamic types.
    static func isValid(identifier: String) -> Bool {
        let isSpelledRight = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                128...:
                true
            default: false
            }
        }
        return isSpelledRight && (1...longestText).contains(identifier.utf8.count)
            && !identifier.lowercased().hasPrefix("dyn.")
    }
}

/// The error for a declaration, or a whole property list, that the registry left out.
package struct DeclarationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The source of the declaration: a path, or the code that registered it.
    package let source: String
    /// The reason why the declaration was left out.
    package let reason: String

    package var description: String { "\(source): \(reason)" }
}

extension TypeDeclaration {
    /// Returns the declarations of a property list with the keys of an `Info.plist`. Faulty entries are left out.
    package static func declarations(
        in propertyList: [String: Any], source: String, bundle: URL? = nil
    ) -> (declarations: [TypeDeclaration], faults: [DeclarationError]) {
        var declarations: [TypeDeclaration] = []
        var faults: [DeclarationError] = []
        for (key, isExported) in [("UTExportedTypeDeclarations", true), ("UTImportedTypeDeclarations", false)] {
            guard let value = propertyList[key] else { continue }
            guard let entries = value as? [Any] else {
                faults.append(DeclarationError(source: source, reason: "\(key) is not an array"))
                continue
            }
            if entries.count > mostDeclarations {
                let reason = "\(key) has \(entries.count) entries, of which the first \(mostDeclarations) are read"
                faults.append(DeclarationError(source: source, reason: reason))
            }
            for (number, entry) in entries.prefix(mostDeclarations).enumerated() {
                do throws(Malformed) {
                    var declaration = try TypeDeclaration(propertyList: entry, isExported: isExported)
                    declaration.bundle = bundle
                    declarations.append(declaration)
                } catch {
                    let reason = "entry \(number + 1) of \(key): \(error.reason)"
                    faults.append(DeclarationError(source: source, reason: reason))
                }
            }
        }
        return (declarations, faults)
    }
}
