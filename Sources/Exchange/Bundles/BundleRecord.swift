import Foundation
import PropertyLists

/// A registered bundle: the declarations of its property list at registration.
///
/// On disk it is a separate property list, which the type registry reads as well.
package struct BundleRecord: Sendable, Equatable {
    /// The value of `CFBundleIdentifier`.
    package let identifier: String
    /// The bundle's directory, without symbolic links.
    package let path: String
    /// The path of the executable file.
    package let executable: String
    /// The value of `PurveyTeamIdentifier`: bundles of the same team trust one another.
    package let team: String?
    /// The values of `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`, as a separate property list.
    package let typeDeclarations: Data
    /// The access groups of stored passwords that the property list declares.
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

    /// Decodes a record from disk. Returns `nil` if the record is damaged.
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

    /// Encodes the record for disk.
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
