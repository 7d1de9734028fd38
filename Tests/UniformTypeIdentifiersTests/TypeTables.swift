import Foundation
import Testing
import UniformTypeIdentifiers

/// A row of the tables from which the compiled-in types are generated.
struct TypeRow: Sendable, CustomTestStringConvertible {
    let name: String?
    private(set) var identifier: String
    private(set) var parents: [String]
    private(set) var extensions: [String]
    let mimeTypes: [String]
    /// `system`, or the tier of the programs that declare the type.
    let tier: String

    var testDescription: String { identifier }

    init(_ line: Substring) {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        fields += [String](repeating: "", count: max(0, 6 - fields.count))
        name = fields[0] == "-" ? nil : fields[0]
        identifier = fields[1]
        let observed = fields[5].components(separatedBy: "; ").first { $0.hasPrefix("runtime_conforms_to=") }
        parents =
            Self.list(fields[2])
            + Self.list(String(observed?.dropFirst("runtime_conforms_to=".count) ?? ""))
            .filter { $0 != "(none)" }
        extensions = Self.list(fields[3])
        mimeTypes = Self.list(fields[4])
        tier = ["apple-app", "owner-less export", "owner", "imports"].first { fields[5].hasPrefix($0) } ?? "system"
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }

    private mutating func correct(_ column: String, _ value: String) {
        switch column {
        case "conforms_to": parents = Self.list(value)
        case "identifier": identifier = value
        case "extensions": extensions = Self.list(value)
        default: break
        }
    }

    static func table(_ name: String) -> [Substring] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Scripts/Types")
        let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return Array((text ?? "").split(separator: "\n").dropFirst())
    }

    /// The rows of the types that the system declares, with corrections.
    static let all: [TypeRow] = {
        var rows = ["core-types.tsv", "more-types.tsv"].flatMap { table($0).map(TypeRow.init) }
        let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.identifier, $0) })
        for line in table("corrections.tsv") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields[3] != "(unchanged)", let place = places[fields[0]] else { continue }
            rows[place].correct(fields[1], fields[3])
        }
        return rows + thirdParty.filter { $0.tier == "system" }
    }()

    /// The rows of the types that are not defined by Apple, of all tiers.
    static let thirdParty = table("third-party-types.tsv").map(TypeRow.init)
}

/// A tag that several types have.
struct TagOwner: Sendable, CustomTestStringConvertible {
    let tagClass: UTTagClass
    let tag: String
    /// The type that the tag means, and then the others.
    let identifiers: [String]

    var testDescription: String { tag }

    static let all = TypeRow.table("tag-owners.tsv").map { line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return TagOwner(
            tagClass: UTTagClass(rawValue: "public." + fields[0]), tag: fields[1],
            identifiers: [fields[2]] + fields[3].split(separator: ",").map(String.init))
    }
}
