import HTTPTransport
import WebDAVClient
import XMLStream

/// A removed file or directory in the user's trash.
public struct NextcloudTrashItem: Sendable {
    /// The properties of the item in the trash. Its name there contains the time of the removal.
    public let entry: NextcloudEntry
    /// The name before the removal.
    public let name: String
    /// The path before the removal, from the user's root.
    public let formerPath: String
    /// The date of the removal.
    public let removed: HTTPDate?

    init(_ entry: DAVEntry) {
        func text(_ name: XMLName) -> String? {
            let text = entry.property(name)?.text ?? ""
            return text.isEmpty ? nil : text
        }
        self.entry = NextcloudEntry(entry)
        name = text(.nc("trashbin-filename")) ?? entry.name
        formerPath = text(.nc("trashbin-original-location")) ?? name
        removed = text(.nc("trashbin-deletion-time")).flatMap { Int64($0) }.map { HTTPDate(seconds: $0) }
    }
}

extension NextcloudClient {
    private static let trashProperties: [XMLName] =
        NextcloudEntry.properties
        + ["trashbin-filename", "trashbin-original-location", "trashbin-deletion-time"].map { .nc($0) }

    /// The address of the trash.
    public var trash: HTTPAddress { get throws(DAVError) { try directory("trashbin", user, "trash") } }

    /// Lists the trash.
    public func trashItems() async throws(DAVError) -> [NextcloudTrashItem] {
        try await files(Self.trashProperties).list(trash).all().map { NextcloudTrashItem($0) }
    }

    /// Returns the address of a file or directory in the trash.
    ///
    /// - Parameter names: the path in the trash: the name of a removed item, followed by names within it.
    public func trashAddress(_ names: [String]) throws(DAVError) -> HTTPAddress {
        var address = try trash
        for name in names { address = try child(name, of: address.asDirectory) }
        return address
    }

    /// Lists a removed directory, or a directory within a removed one.
    public func trashItems(in names: [String]) async throws(DAVError) -> [NextcloudTrashItem] {
        let listing = try await files(Self.trashProperties).list(trashAddress(names).asDirectory)
        return try await listing.all().map { NextcloudTrashItem($0) }
    }

    /// Returns a file or directory in the trash.
    public func trashItem(at names: [String]) async throws(DAVError) -> NextcloudTrashItem {
        NextcloudTrashItem(try await files(Self.trashProperties).entry(at: trashAddress(names)))
    }

    /// Restores a removed file or directory to its former directory, or to the root if that directory no longer exists.
    /// If another item has its name, the server renames the restored item.
    public func restore(_ item: NextcloudTrashItem) async throws(DAVError) {
        let target = try child(item.entry.name, of: directory("trashbin", user, "restore"))
        try await files.move(item.entry.entry.address, to: target, if: DAVRequirements())
    }

    /// Removes a file or directory in the trash permanently.
    public func remove(_ item: NextcloudTrashItem) async throws(DAVError) {
        try await files.delete(item.entry.entry.address)
    }

    /// Removes everything in the trash permanently.
    public func emptyTrash() async throws(DAVError) { try await files.delete(trash) }
}

/// An earlier version of a file's contents.
public struct NextcloudVersion: Sendable {
    /// The address of the contents.
    public let address: HTTPAddress
    /// The date of the contents.
    public let modified: HTTPDate?
    /// The number of bytes.
    public let size: Int?
    /// The name that a user gave the version.
    public let label: String?
    /// The user who wrote this version.
    public let author: String?
}

extension NextcloudClient {
    /// Lists the versions of a file, in the order of the server, including the current version.
    public func versions(of fileID: Int64) async throws(DAVError) -> [NextcloudVersion] {
        let directory = try directory("versions", user, "versions", String(fileID))
        let client = files([.nc("version-label"), .nc("version-author")])
        return try await client.list(directory).all().map { entry in
            func text(_ name: XMLName) -> String? {
                let text = entry.property(name)?.text ?? ""
                return text.isEmpty ? nil : text
            }
            return NextcloudVersion(
                address: entry.address, modified: entry.modified, size: entry.length,
                label: text(.nc("version-label")), author: text(.nc("version-author")))
        }
    }

    /// Replaces the current contents of a file by an earlier version. The replaced contents become a version.
    public func restore(_ version: NextcloudVersion) async throws(DAVError) {
        let target = try child("target", of: directory("versions", user, "restore"))
        try await files.move(version.address, to: target, if: DAVRequirements())
    }
}
