import FileProvider
import Foundation
import HTTPTransport
import WebDAVClient
import XMLStream

/// A kind of service over WebDAV, with the features that Nextcloud and others have beyond the protocol. A server
/// without such features is ``PlainDAVService``.
///
/// Each member has a default, which is that of a plain server.
public protocol DAVServiceKind: Sendable {
    /// Properties to request besides the default ones.
    var properties: [XMLName] { get }

    /// Whether the client returns the cookies that the server sets, which saves some servers a check of the password
    /// for each request.
    var keepsCookies: Bool { get }

    /// Whether the tag of a folder changes with everything below it. Changes are then found from the root down, through
    /// the folders whose tag differs. Otherwise, each folder in use is listed from time to time.
    var hasDeepTags: Bool { get }

    /// Whether removed items can be moved to a trash: ``trash(_:of:)``.
    var hasTrash: Bool { get }

    /// The pause between two checks for changes while no notice reports them, in seconds; `nil` for the default. A
    /// service that sends notices (`ChangeWatch.check(identities:)`) has a longer pause.
    var pollInterval: Int? { get }

    /// Findings about the server, one line each, besides those of the probe.
    var findings: [String] { get }

    /// Returns the address of the folder that is the domain's root.
    func root(_ settings: DAVSettings) throws -> HTTPAddress

    /// Returns the properties of an entry that this kind of service has.
    func traits(of entry: DAVEntry) -> DAVTraits

    /// Notes the stored properties of a folder. Called before one of its entries is read, perhaps by a process that has
    /// not read the folder itself.
    func recall(_ folder: DAVKnownItem)

    /// Returns the identifier of the server's data from the entry of the domain's root; `nil` if the server has none. A
    /// new identifier means that the server was restored from a backup. Items that were seen before and that the server
    /// lacks are then kept. Local contents that are newer than the server's are sent again; other files get the
    /// server's older state.
    func dataMark(of root: DAVEntry) -> String?

    /// Listens to the server's notices of changes, until the task is cancelled. Returns at once if there are none.
    func listen(for account: DAVAccount, _ notice: @escaping @Sendable (DAVNotice) async -> Void) async

    /// Whether an entry is hidden from the user.
    func isHidden(_ entry: DAVEntry) -> Bool

    /// Sends the contents of a file. The upload's requirements must be sent with the request that changes the file. The
    /// server honours them on `PUT` if the account's profile says so; another way of sending needs a check of its own.
    func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload

    /// Sends a new file together with others, if the service can do so without overwriting a file of that name.
    ///
    /// - Parameter folder: the folder of the file.
    /// - Returns: the new file; `nil` if it is to be sent alone.
    func sendTogether(_ upload: DAVFileUpload, in folder: DAVKnownItem, with client: DAVClient) async -> DAVEntry?

    /// Finds an item by its identity, because it does not exist at its address any more.
    ///
    /// - Returns: `nil` if the item does not exist, or cannot be found in this way.
    func find(identity: String, root: HTTPAddress, with client: DAVClient) async throws(DAVError) -> HTTPAddress?

    /// Changes tags or the rank among the favorites.
    ///
    /// - Returns: the fields that the service has stored.
    func setMarks(
        _ marks: DAVMarks, of item: DAVKnownItem, with client: DAVClient
    ) async throws(DAVError) -> NSFileProviderItemFields

    /// Puts an item into the trash.
    func trash(_ item: DAVKnownItem, of account: DAVAccount) async throws -> any NSFileProviderItem & Sendable

    /// Takes an item out of the trash.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the item in the trash.
    ///   - parent: the address of the folder that it moves to.
    /// - Returns: the item's address.
    func restore(
        _ identifier: NSFileProviderItemIdentifier, named name: String, to parent: HTTPAddress, of account: DAVAccount
    ) async throws -> HTTPAddress
}

extension DAVServiceKind {
    /// The further properties; none by default.
    public var properties: [XMLName] { [] }
    /// Whether cookies are returned; `false` by default.
    public var keepsCookies: Bool { false }
    /// Whether tags are deep; `false` by default, so that each folder in use is listed.
    public var hasDeepTags: Bool { false }
    /// Whether there is a trash; `false` by default.
    public var hasTrash: Bool { false }
    /// The pause between two checks; `nil` by default.
    public var pollInterval: Int? { nil }

    /// The further findings; none by default.
    public var findings: [String] { [] }

    /// Returns no identifier.
    public func dataMark(of root: DAVEntry) -> String? { nil }

    /// Listens to nothing.
    public func listen(for account: DAVAccount, _ notice: @escaping @Sendable (DAVNotice) async -> Void) async {}

    /// Returns the address in the settings.
    public func root(_ settings: DAVSettings) throws -> HTTPAddress { settings.address }

    /// Returns empty traits.
    public func traits(of entry: DAVEntry) -> DAVTraits { DAVTraits() }

    /// Notes nothing.
    public func recall(_ folder: DAVKnownItem) {}

    /// Hides nothing.
    public func isHidden(_ entry: DAVEntry) -> Bool { false }

    /// Sends the file in one request.
    public func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload {
        try await client.put(
            .file(upload.file, offset: 0, count: upload.count), to: upload.address, if: upload.requirements,
            modified: upload.modified)
    }

    /// Sends each file alone.
    public func sendTogether(
        _ upload: DAVFileUpload, in folder: DAVKnownItem, with client: DAVClient
    ) async -> DAVEntry? { nil }

    /// Finds nothing.
    public func find(
        identity: String, root: HTTPAddress, with client: DAVClient
    ) async throws(DAVError) -> HTTPAddress? { nil }

    /// Stores no marks.
    public func setMarks(
        _ marks: DAVMarks, of item: DAVKnownItem, with client: DAVClient
    ) async throws(DAVError) -> NSFileProviderItemFields { [] }

    /// Throws an error, because there is no trash.
    public func trash(_ item: DAVKnownItem, of account: DAVAccount) async throws -> any NSFileProviderItem & Sendable {
        throw CocoaError(.featureUnsupported)
    }

    /// Throws an error, because there is no trash.
    public func restore(
        _ identifier: NSFileProviderItemIdentifier, named name: String, to parent: HTTPAddress, of account: DAVAccount
    ) async throws -> HTTPAddress {
        throw CocoaError(.featureUnsupported)
    }
}

/// A server without extensions of WebDAV.
public struct PlainDAVService: DAVServiceKind {
    /// Creates the kind.
    public init() {}
}
