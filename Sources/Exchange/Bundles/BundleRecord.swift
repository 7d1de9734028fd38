import Foundation
import PropertyLists

/// A registered bundle: the declarations of its property list at registration.
///
/// On disk, each record is a property list of its own. The type registry reads these files, too.
package struct BundleRecord: Sendable, Equatable {
    /// The value of `CFBundleIdentifier`.
    package let identifier: String
    /// The path of the bundle's directory, with symbolic links resolved.
    package let path: String
    /// The path of the executable file.
    package let executable: String
    /// The value of `PurveyTeamIdentifier`. Bundles with the same team trust one another. `nil` if the bundle has no
    /// team.
    package let team: String?
    /// The values of `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`, encoded as a property list.
    package let typeDeclarations: Data
    /// The access groups for stored passwords that the bundle's property list declares.
    package let secretGroups: [String]

    package init(
        identifier: String, path: String, executable: String, team: String?, typeDeclarations: Data,
        secretGroups: [String] = []
    ) {
        self.identifier = identifier
        self.path = path
        self.executable = executable
        self.team = team
        self.typeDeclarations = typeDeclarations
        self.secretGroups = secretGroups
    }
}

extension BundleRecord {
    package static let exportedKey = "UTExportedTypeDeclarations"
    package static let importedKey = "UTImportedTypeDeclarations"

    /// Decodes a record that was read from disk. Returns `nil` if the data is damaged.
    package init?(propertyList data: Data) {
        guard let list = Self.dictionary(data) else { return nil }
        let kept = list.filter { $0.key == Self.exportedKey || $0.key == Self.importedKey }
        guard
            let identifier = list["Identifier"] as? String, !identifier.isEmpty,
            let path = list["Path"] as? String, path.hasPrefix("/"),
            let executable = list["Executable"] as? String, executable.hasPrefix("/"),
            let declarations = try? Self.encode(kept)
        else { return nil }
        self.init(
            identifier: identifier, path: path, executable: executable, team: list["Team"] as? String,
            typeDeclarations: declarations, secretGroups: list["Secret Groups"] as? [String] ?? [])
    }

    /// Encodes the record, to be written to disk.
    package func propertyList() throws -> Data {
        var list = Self.dictionary(typeDeclarations) ?? [:]
        list["Identifier"] = identifier
        list["Path"] = path
        list["Executable"] = executable
        list["Team"] = team
        if !secretGroups.isEmpty { list["Secret Groups"] = secretGroups }
        return try Self.encode(list)
    }

    static func dictionary(_ data: Data) -> [String: Any]? {
        ForeignPropertyList.dictionary(data)
    }

    static func encode(_ list: [String: Any]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }
}
