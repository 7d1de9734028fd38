import FileProviderWire
import ItemValues
import LinuxSystem

/// The requests that the engine sends to a provider, which is replicated or not and runs in any process.
///
/// Functions may be called concurrently and in any order, and do not block a thread. Cancelling the task cancels the
/// request. Each request ends in bounded time: an extension that does not reply for too long is killed, and the request
/// fails with the reason. Only the form of replies has been validated.
package protocol Provider: Sendable {
    /// Returns an item as the provider has it now.
    func item(_ identifier: String) async throws(ProviderError) -> ProviderItem

    /// Returns one page of a container. The token `nil` requests the first page.
    func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderError) -> ItemPage

    /// Returns the sync anchor from which later changes are reported; `nil` if the container has none.
    func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]?

    /// Returns the changes since a sync anchor.
    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch

    /// Fetches the whole contents of a file, as an open file that the engine may read as long as it has the file open.
    ///
    /// - Parameter progress: Called now and then with the transferred and total bytes.
    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Fetches the whole contents of a file.
    ///
    /// - Parameter takesUsed: Whether a file that another process uses and does not relinquish is returned in its
    ///   present state.
    func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Whether the provider can fetch a file with the help of earlier contents of it.
    func usesExistingContents() async throws(ProviderError) -> Bool

    /// Fetches the whole contents of a file, as the difference to earlier contents of it. The engine keeps those while
    /// the request runs.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/expired`` if the earlier version is of no use.
    func contents(
        of identifier: String, using existing: ExistingContents,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Whether the provider supports fetching parts of files.
    func servesParts() async throws(ProviderError) -> Bool

    /// Fetches a byte range of a file.
    ///
    /// - Returns: A file that has at least the requested bytes at their offsets. The engine may read the file as long
    ///   as it has the file open. Neither its version nor its range has been validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/expired`` if the version is not available any more;
    ///   ``ProviderError/Kind/unsupported`` if the provider returns no parts of this file.
    func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart

    /// Creates a file with contents, a directory, or a symbolic link.
    ///
    /// Safe to repeat: a provider that has created the item already reports a collision.
    ///
    /// - Parameter contents: Read from its beginning to its end; `nil` for directories and links.
    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem

    /// Replaces the contents of a file. Returns when the provider has its own copy. The flag `uploaded` of the returned
    /// item says whether the provider's service has the contents, too.
    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem

    /// Renames an item, moves it, or both.
    func move(_ identifier: String, to parent: String, named name: String) async throws(ProviderError) -> ProviderItem

    /// Removes an item. A directory is removed with everything in it.
    func delete(_ identifier: String) async throws(ProviderError)

    /// Sets one piece of an item's user metadata, or its attributes.
    ///
    /// - Throws: For attributes, a failure of kind ``ProviderError/Kind/unsupported`` only if the provider does not
    ///   accept attributes at all.
    func set(_ metadataChange: UserMetadataChange, of identifier: String) async throws(ProviderError) -> ProviderItem

    /// Moves an item to the trash. A directory is moved with everything in it. Safe to repeat.
    func trash(_ identifier: String) async throws(ProviderError) -> ProviderItem

    /// Moves an item out of the trash.
    ///
    /// - Parameter parent: The directory to move it to; `nil` for the item's former directory.
    func untrash(_ identifier: String, to parent: String?) async throws(ProviderError) -> ProviderItem

    /// Moves an item out of the trash.
    ///
    /// - Parameters:
    ///   - parent: The directory to move it to; `nil` for the item's former directory.
    ///   - former: The item's former directory, if it is known locally. Providers that do not know the former directory
    ///     use this.
    func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderError) -> ProviderItem

    /// Reports that the engine does not need the contents any more, so that the provider may remove its copy.
    func stopProviding(_ identifier: String) async

    /// Signs the user in.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/notAuthenticated`` if the password is wrong;
    ///   ``ProviderError/Kind/unsupported`` if the provider has another way to sign in.
    func signIn(password: String) async throws(ProviderError)

    /// Reports that the import has ended.
    func importDidFinish() async throws(ProviderError)

    /// Performs a custom action of the provider on items. Never repeated for one user action.
    ///
    /// - Parameters:
    ///   - action: The action's identifier in the provider's property list.
    ///   - input: The user's input, if the action asks for it.
    ///   - progress: Called with the completed and the total work.
    /// - Returns: The reply to the user.
    func perform(
        _ action: String, on identifiers: [String], input: String?,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply

    /// Returns the provider's state of its whole domain.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider does not have such a state.
    func domainState() async throws(ProviderError) -> ProviderDomainState

    /// Searches the provider's service for items, including those that are not known locally.
    ///
    /// - Parameters:
    ///   - query: The text that the user entered; at most ``ProviderSearchCall/longestQuery`` bytes.
    ///   - limit: The maximum number of results, up to ``ProviderSearchCall/mostResults``.
    /// - Returns: The results, best first, without repeated identifiers.
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider does not support search.
    func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderSearchResults

    /// Fetches thumbnails of files, without fetching their contents.
    ///
    /// - Parameters:
    ///   - identifiers: At most ``ProviderThumbnailsCall/mostItems``.
    ///   - side: The maximum useful length of a side, in pixels.
    /// - Returns: The results, for items that the provider replied about. Pictures are sealed memory files of a
    ///   bounded size, whose bytes are not validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider has no thumbnails at all.
    func thumbnails(of identifiers: [String], side: Int) async throws(ProviderError) -> [ProviderThumbnail]
}

extension Provider {
    /// Ignores `takesUsed`. This is the default for providers whose files no other process uses.
    package func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents { try await contents(of: identifier, progress: progress) }

    /// Whether the provider can fetch a file with the help of earlier contents of it. The default is `false`.
    package func usesExistingContents() async throws(ProviderError) -> Bool { false }

    /// Fetches the whole contents without the earlier ones. This is the default.
    package func contents(
        of identifier: String, using existing: ExistingContents,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents { try await contents(of: identifier, progress: progress) }

    /// Whether the provider supports fetching parts of files. The default is `false`.
    package func servesParts() async throws(ProviderError) -> Bool { false }

    package func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart {
        throw ProviderError(.unsupported, message: "the provider gives no parts of files")
    }

    /// Throws a failure. This is the default for providers without sign-in by password.
    package func signIn(password: String) async throws(ProviderError) {
        throw ProviderError(.unsupported, message: "the provider takes no password")
    }

    /// Does nothing. This is the default for providers that are not interested in imports.
    package func importDidFinish() async throws(ProviderError) {}

    /// Throws a failure. This is the default for providers without custom actions.
    package func perform(
        _ action: String, on identifiers: [String], input: String?,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply {
        throw ProviderError(.unsupported, message: "the provider performs no actions")
    }

    /// Throws a failure. This is the default for providers without a domain state.
    package func domainState() async throws(ProviderError) -> ProviderDomainState {
        throw ProviderError(.unsupported, message: "the provider reports no state of its domain")
    }

    /// Throws a failure. This is the default for providers without search.
    package func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderSearchResults {
        throw ProviderError(.unsupported, message: "the provider does not search")
    }

    /// Throws a failure. This is the default for providers without thumbnails.
    package func thumbnails(
        of identifiers: [String], side: Int
    ) async throws(ProviderError) -> [ProviderThumbnail] {
        throw ProviderError(.unsupported, message: "the provider has no thumbnails")
    }
}

extension Provider {
    package func set(_ metadataChange: UserMetadataChange, of identifier: String) async throws(ProviderError)
        -> ProviderItem
    {
        throw ProviderError(.unsupported, message: "the provider keeps no tags, favorites or dates of use")
    }

    package func trash(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        throw ProviderError(.unsupported, message: "the provider has no trash")
    }

    package func untrash(_ identifier: String, to parent: String?) async throws(ProviderError) -> ProviderItem {
        throw ProviderError(.unsupported, message: "the provider has no trash")
    }

    package func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderError) -> ProviderItem { try await untrash(identifier, to: parent) }
}

/// The properties of an item to create.
package struct NewItem: Sendable, Equatable {
    package var parent: String
    package var filename: String
    package var kind: ProviderItem.Kind
    package var linkTarget: String?
    /// The modification date, in seconds since 1970.
    package var modified: Double
    package var isExecutable: Bool
    /// Whether the mode of the item gives no permissions to the group and to others.
    package var isPrivate: Bool
    /// The item's local identifier, which is the same in each attempt; `nil` if the item has none.
    package var template: String?
    /// Whether the provider may have the item already, because it is imported.
    package var mayAlreadyExist: Bool

    package init(
        parent: String, filename: String, kind: ProviderItem.Kind, linkTarget: String? = nil, modified: Double,
        isExecutable: Bool = false, isPrivate: Bool = false, template: String? = nil, mayAlreadyExist: Bool = false
    ) {
        self.parent = parent
        self.filename = filename
        self.kind = kind
        self.linkTarget = linkTarget
        self.modified = modified
        self.isExecutable = isExecutable
        self.isPrivate = isPrivate
        self.template = template
        self.mayAlreadyExist = mayAlreadyExist
    }
}

/// The items of one page, and the token of the next page; `nil` at the end.
package struct ItemPage: Sendable {
    package var items: [ProviderItem]
    package var next: [UInt8]?

    package init(items: [ProviderItem], next: [UInt8]?) {
        self.items = items
        self.next = next
    }
}

/// Changes, in the order in which the provider reported them.
package struct ChangeBatch: Sendable {
    package var updated: [ProviderItem]
    package var deleted: [String]
    package var anchor: [UInt8]
    package var moreComing: Bool

    package init(updated: [ProviderItem], deleted: [String], anchor: [UInt8], moreComing: Bool) {
        self.updated = updated
        self.deleted = deleted
        self.anchor = anchor
        self.moreComing = moreComing
    }
}

/// Local contents of a file, of a version that the provider has replaced.
package struct ExistingContents: Sendable {
    package let descriptor: FileDescriptor
    package let version: [UInt8]

    package init(descriptor: FileDescriptor, version: [UInt8]) {
        self.descriptor = descriptor
        self.version = version
    }
}

/// A file's contents, with the item as the provider reported it at that moment.
package struct ProviderContents: Sendable {
    package var descriptor: FileDescriptor
    package var item: ProviderItem
    /// The file's state when the provider handed it over; `nil` if no other process has the file open.
    package var moment: FileMoment?

    package init(descriptor: FileDescriptor, item: ProviderItem, moment: FileMoment? = nil) {
        self.descriptor = descriptor
        self.item = item
        self.moment = moment
    }

    /// Throws a failure if another process has written to the file since it was handed over. In that case, the bytes
    /// that were read may be a mixture of old and new contents.
    func checkUnchanged() throws(ProviderError) {
        guard let moment else { return }
        let now = try onDisk { () throws(Errno) in FileMoment(try descriptor.status()) }
        // Only size and modification date are compared. A provider that links the file or sets its attributes changes
        // its change time, and the comparison would never succeed.
        guard now.isDated(as: moment) else {
            throw ProviderError(.transient, message: "A program has changed the file meanwhile.")
        }
    }
}
