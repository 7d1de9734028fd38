/// Collections of types that Apple's systems do not declare, but that many programs declare or import.
///
/// An addition of Purvey's. A collection is loaded only if a program loads it by name, because code that also runs on
/// Apple's systems should find the same types there and on Linux.
public enum UTTypeCollection: String, CaseIterable, Sendable {
    /// Types that Apple's own programs export, such as `com.apple.xcode.entitlements-property-list`.
    case appleApplications = "apple-app"
    /// Types that other programs export under an identifier of their own, such as
    /// `com.microsoft.outlook15.email-message`.
    case owners = "owner"
    /// Types that programs export under an identifier that belongs to another organization.
    case unowned
    /// Types that programs import, such as `org.matroska.mkv`, and that their owners do not declare.
    case imports

    /// Declares the collection's types for this process. Types of the system and of bundles take precedence, and their
    /// tags keep their meaning, except for a few tags that are known to belong to a type of the collection.
    ///
    /// May be called from any thread. Loading a collection again does nothing.
    public func load() {
        TypeRegistry.register(self)
    }

    /// The declarations of the collection's types, in order of precedence.
    var declarations: [TypeDeclaration] {
        let text = Self.table.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        let lines = text.split(separator: "\n")
        guard let head = lines.firstIndex(of: rawValue[...]) else { return [] }
        return lines[(head + 1)...].prefix { $0.hasPrefix("\t") }.map { declaration($0.dropFirst()) }
    }

    private func declaration(_ line: Substring) -> TypeDeclaration {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        func list(_ column: Int) -> [String] {
            columns.indices.contains(column) ? columns[column].split(separator: ",").map(String.init) : []
        }
        let isOwner = line.hasPrefix("!")
        var declaration = TypeDeclaration(
            identifier: String(columns[0].drop { $0 == "!" }), isExported: self != .imports, parents: list(1))
        declaration.tags[UTTagClass.filenameExtension.rawValue] = list(2)
        declaration.tags[UTTagClass.mimeType.rawValue] = list(3)
        declaration.yieldsTags = !isOwner
        return declaration
    }
}
