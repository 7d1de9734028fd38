import Foundation
import PropertyLists

/// A registered bundle: what its property list declared on the day it was registered.
///
/// On disk it is a property list of its own, which the type registry reads as well.
package struct BundleRecord: Sendable, Equatable {
    /// `CFBundleIdentifier`.
    package let identifier: String
    /// The folder, with no symbolic link in it.
    package let path: String
    /// The path of the executable file.
    package let executable: String
    /// `PurveyTeamIdentifier`: bundles that name the same team trust one another.
    package let team: String?
    /// `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`, as a property list of their own.
    package let typeDeclarations: Data

    package init(identifier: String, path: String, executable: String, team: String?, typeDeclarations: Data) {
        self.identifier = identifier
        self.path = path
        self.executable = executable
        self.team = team
        self.typeDeclarations = typeDeclarations
    }
}

extension BundleRecord {
    package static let exportedKey = "UTExportedTypeDeclarations"
    package static let importedKey = "UTImportedTypeDeclarations"

    /// Reads a record as it is kept on disk; `nil` when it is damaged.
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
            typeDeclarations: declarations)
    }

    /// The record as it is kept on disk.
    package func propertyList() throws -> Data {
        var list = Self.dictionary(typeDeclarations) ?? [:]
        list["Identifier"] = identifier
        list["Path"] = path
        list["Executable"] = executable
        list["Team"] = team
        return try Self.encode(list)
    }

    static func dictionary(_ data: Data) -> [String: Any]? {
        ForeignPropertyList.dictionary(data)
    }

    static func encode(_ list: [String: Any]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }
}
