import FileProvider
import Foundation
import HTTPTransport
import WebDAVClient
import XMLStream

/// A kind of service that is based on WebDAV, including the features that Nextcloud and others add to the protocol. A
/// server without such features is ``PlainDAVService``.
///
/// Each member has a default implementation, which describes a plain server.
public protocol DAVServiceKind: Sendable {
    /// Properties to request besides the default ones.
    var properties: [XMLName] { get }

    /// Whether the client returns the cookies that the server sets. Some servers then need not check the password for
    /// each request.
    var keepsCookies: Bool { get }

    /// Whether the tag of a folder changes when any of its descendants changes. Changes are then found from the root
    /// down, through the folders whose tag differs. Otherwise, each folder in use is listed from time to time.
    var hasDeepTags: Bool { get }

    /// Whether removed items can be moved to a trash with ``trash(_:of:)``.
    var hasTrash: Bool { get }

    /// The pause in seconds between two checks for changes, unless a notice reports a change earlier; `nil` for the
    /// default. A service that sends notices (`ChangeWatch.check(identities:)`) has a longer pause.
    var pollInterval: Int? { get }

    /// Findings about the server for the user, one line each, in addition to those of the probe.
    var findings: [String] { get }

    /// Returns the address of the folder that is the domain's root.
    func root(_ settings: DAVSettings) throws -> HTTPAddress

    /// Returns the properties of an entry that only this kind of service has.
    func traits(of entry: DAVEntry) -> DAVTraits

    /// Passes the stored properties of a folder to the service. Called before entries of the folder are read, because
    /// this process may not have read the folder itself.
    func recall(_ folder: DAVKnownItem)

    /// Returns the identifier of the server's data from the entry of the domain's root; `nil` if the server has none.
    ///
    /// A new identifier means that the server was restored from a backup. The catalogue then retains the items that the
    /// server no longer has. Local contents that are newer than the server's are uploaded again; other files get the
    /// server's older state.
    func dataMark(of root: DAVEntry) -> String?

    /// Listens to the server's notices of changes until the task is cancelled. Returns at once if the server sends
    /// none.
    func listen(for account: DAVAccount, _ notice: @escaping @Sendable (DAVNotice) async -> Void) async

    /// Whether an entry is hidden from the user.
    func isHidden(_ entry: DAVEntry) -> Bool

    /// Removes the items that the server still keeps after a probe's directory was removed, such as items in a trash.
    func removeRemains(ofProbe directory: HTTPAddress, with client: DAVClient) async throws(DAVError)

    /// Uploads the contents of a file. The upload's requirements must be sent with the request that changes the file.
    /// The account's profile states whether the server honours them for `PUT`; another upload protocol needs a check of
    /// its own.
    func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload

    /// Uploads a new file together with others, if the service can do so without overwriting a file of that name.
    ///
    /// - Parameter folder: the folder of the file.
    /// - Returns: the new file; `nil` if the caller has to upload it separately.
    func sendTogether(_ upload: DAVFileUpload, in folder: DAVKnownItem, with client: DAVClient) async -> DAVEntry?

    /// Returns the present address of an item that does not exist at its former address any more. The item is found by
    /// its identity.
    ///
    /// - Returns: `nil` if the item does not exist, or cannot be found by its identity.
    func find(identity: String, root: HTTPAddress, with client: DAVClient) async throws(DAVError) -> HTTPAddress?

    /// Sets tags or the rank among the favorites.
    ///
    /// - Returns: the fields that the service has stored.
    func setMarks(
        _ marks: DAVMarks, of item: DAVKnownItem, with client: DAVClient
    ) async throws(DAVError) -> NSFileProviderItemFields

    /// Moves an item to the trash.
    func trash(_ item: DAVKnownItem, of account: DAVAccount) async throws -> any NSFileProviderItem & Sendable

    /// Moves an item out of the trash.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the item in the trash.
    ///   - parent: the address of the destination folder.
    /// - Returns: the item's address.
    func restore(
        _ identifier: NSFileProviderItemIdentifier, named name: String, to parent: HTTPAddress, of account: DAVAccount
    ) async throws -> HTTPAddress
}

extension DAVServiceKind {
    /// The additional properties; none by default.
    public var properties: [XMLName] { [] }
    /// Whether cookies are returned; `false` by default.
    public var keepsCookies: Bool { false }
    /// Whether the tag of a folder depends on its descendants; `false` by default, so that each folder in use is
    /// listed.
    public var hasDeepTags: Bool { false }
    /// Whether the service has a trash; `false` by default.
    public var hasTrash: Bool { false }
    /// The pause between two checks; `nil` by default.
    public var pollInterval: Int? { nil }

    /// The additional findings; none by default.
    public var findings: [String] { [] }

    /// Returns `nil`.
    public func dataMark(of root: DAVEntry) -> String? { nil }

    /// Returns at once, because plain servers send no notices.
    public func listen(for account: DAVAccount, _ notice: @escaping @Sendable (DAVNotice) async -> Void) async {}

    /// Returns the address in the settings.
    public func root(_ settings: DAVSettings) throws -> HTTPAddress { settings.address }

    /// Returns empty traits.
    public func traits(of entry: DAVEntry) -> DAVTraits { DAVTraits() }

    /// Does nothing.
    public func recall(_ folder: DAVKnownItem) {}

    /// Returns `false`.
    public func isHidden(_ entry: DAVEntry) -> Bool { false }

    /// Does nothing, because a plain server keeps no removed items.
    public func removeRemains(ofProbe directory: HTTPAddress, with client: DAVClient) async throws(DAVError) {}

    /// Uploads the file in one request.
    public func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload {
        try await client.put(
            .file(upload.file, offset: 0, count: upload.count), to: upload.address, if: upload.requirements,
            modified: upload.modified)
    }

    /// Returns `nil`, so that each file is uploaded separately.
    public func sendTogether(
        _ upload: DAVFileUpload, in folder: DAVKnownItem, with client: DAVClient
    ) async -> DAVEntry? { nil }

    /// Returns `nil`.
    public func find(
        identity: String, root: HTTPAddress, with client: DAVClient
    ) async throws(DAVError) -> HTTPAddress? { nil }

    /// Returns an empty set, because a plain server stores no user metadata.
    public func setMarks(
        _ marks: DAVMarks, of item: DAVKnownItem, with client: DAVClient
    ) async throws(DAVError) -> NSFileProviderItemFields { [] }

    /// Throws `featureUnsupported`, because a plain server has no trash.
    public func trash(_ item: DAVKnownItem, of account: DAVAccount) async throws -> any NSFileProviderItem & Sendable {
        throw CocoaError(.featureUnsupported)
    }

    /// Throws `featureUnsupported`, because a plain server has no trash.
    public func restore(
        _ identifier: NSFileProviderItemIdentifier, named name: String, to parent: HTTPAddress, of account: DAVAccount
    ) async throws -> HTTPAddress {
        throw CocoaError(.featureUnsupported)
    }
}

/// The kind of a server that has no features beyond WebDAV.
public struct PlainDAVService: DAVServiceKind {
    /// Creates the kind.
    public init() {}
}
