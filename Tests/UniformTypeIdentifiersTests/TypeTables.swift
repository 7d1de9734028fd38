import Foundation
import Testing

/// A row of the tables that the compiled-in types are generated from.
struct TypeRow: Sendable, CustomTestStringConvertible {
    let name: String?
    let identifier: String
    let parents: [String]
    let extensions: [String]
    let mimeTypes: [String]

    var testDescription: String { identifier }

    init(_ line: Substring) {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        fields += [String](repeating: "", count: max(0, 6 - fields.count))
        func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
        name = fields[0] == "-" ? nil : fields[0]
        identifier = fields[1]
        let observed = fields[5].components(separatedBy: "; ").first { $0.hasPrefix("runtime_conforms_to=") }
        parents =
            list(fields[2])
            + list(String(observed?.dropFirst("runtime_conforms_to=".count) ?? ""))
            .filter { $0 != "(none)" }
        extensions = list(fields[3])
        mimeTypes = list(fields[4])
    }

    /// The rows of both tables.
    static let all: [TypeRow] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Scripts/Types")
        return ["core-types.tsv", "more-types.tsv"].flatMap { name -> [TypeRow] in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return (text ?? "").split(separator: "\n").dropFirst().map(TypeRow.init)
        }
    }()
}
