import FileProviderWire
import ItemValues
import LinuxSystem

/// The requests that the engine sends to a provider, replicated or not, in any process.
///
/// Functions may be called concurrently and in any order, and do not block a thread. Cancelling the task cancels the
/// request. Each request ends in bounded time: an extension that does not reply for too long is killed, and the request
/// fails with the reason. Replies are well-formed, but their values have not been validated otherwise.
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

    /// Fetches the whole contents of a file. The engine may read the returned file until it closes the descriptor.
    ///
    /// - Parameter progress: Called repeatedly with the numbers of transferred and total bytes.
    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Fetches the whole contents of a file.
    ///
    /// - Parameter takesUsed: Whether to return the present contents of a file that another process uses and does not
    ///   relinquish.
    func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Whether the provider can use earlier contents of a file to fetch it.
    func usesExistingContents() async throws(ProviderError) -> Bool

    /// Fetches the whole contents of a file, using earlier contents, for example to transfer only the difference. The
    /// engine retains the earlier contents while the request runs.
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
    /// - Returns: A file that has at least the requested bytes at their offsets. The engine may read the file until it
    ///   closes the descriptor. Neither its version nor its range has been validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/expired`` if the version is not available any more;
    ///   ``ProviderError/Kind/unsupported`` if the provider returns no parts of this file.
    func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart

    /// Creates a file with contents, a directory, or a symbolic link.
    ///
    /// Safe to repeat: if an earlier attempt has created the item, the provider reports a collision.
    ///
    /// - Parameter contents: Read from its beginning to its end; `nil` for directories and links.
    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem

    /// Replaces the contents of a file. Returns when the provider has its own copy. The flag `uploaded` of the returned
    /// item reports whether the provider's service has the contents, too.
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

    /// Notifies the provider that the engine no longer needs the contents, so that the provider may remove its copy.
    func stopProviding(_ identifier: String) async

    /// Signs the user in.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/notAuthenticated`` if the password is wrong;
    ///   ``ProviderError/Kind/unsupported`` if the provider has another way to sign in.
    func signIn(password: String) async throws(ProviderError)

    /// Notifies the provider that the import has ended.
    func importDidFinish() async throws(ProviderError)

    /// Performs a custom action of the provider on items. The engine never repeats this request for one action of the
    /// user.
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
    /// - Returns: The results for the items that the provider replied about. Pictures are sealed memory files of a
    ///   bounded size, whose bytes are not validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider has no thumbnails at all.
    func thumbnails(of identifiers: [String], side: Int) async throws(ProviderError) -> [ProviderThumbnail]
}

extension Provider {
    /// Ignores `takesUsed`. This is the default for providers whose files are not used by other processes.
    package func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents { try await contents(of: identifier, progress: progress) }

    /// Returns `false`. This is the default for providers that cannot use earlier contents to fetch a file.
    package func usesExistingContents() async throws(ProviderError) -> Bool { false }

    /// Fetches the whole contents without using the earlier ones. This is the default.
    package func contents(
        of identifier: String, using existing: ExistingContents,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents { try await contents(of: identifier, progress: progress) }

    /// Returns `false`. This is the default for providers that cannot fetch byte ranges.
    package func servesParts() async throws(ProviderError) -> Bool { false }

    package func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart {
        throw ProviderError(.unsupported, message: "the provider gives no parts of files")
    }

    /// Throws a failure. This is the default for providers without sign-in by password.
    package func signIn(password: String) async throws(ProviderError) {
        throw ProviderError(.unsupported, message: "the provider takes no password")
    }

    /// Does nothing. This is the default for providers that need no notice of the end of an import.
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
    /// Whether the item's mode grants no permissions to the group and to others.
    package var isPrivate: Bool
    /// The item's local identifier, which is the same in each attempt; `nil` if the item has none.
    package var template: String?
    /// Whether the provider may already have the item, because the item is being imported.
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

/// The items of one page. ``next`` is the token of the next page; `nil` after the last page.
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

/// A file's contents, with the item as the provider reported it in the same reply.
package struct ProviderContents: Sendable {
    package var descriptor: FileDescriptor
    package var item: ProviderItem
    /// The file's state when the provider returned it; `nil` if no other process has the file open.
    package var moment: FileMoment?

    package init(descriptor: FileDescriptor, item: ProviderItem, moment: FileMoment? = nil) {
        self.descriptor = descriptor
        self.item = item
        self.moment = moment
    }

    /// Throws a failure if another process has written to the file since the provider returned it. In that case, the
    /// bytes that were read may be a mixture of old and new contents.
    func checkUnchanged() throws(ProviderError) {
        guard let moment else { return }
        let now = try onDisk { () throws(Errno) in FileMoment(try descriptor.status()) }
        // Compare only size and modification date. A provider that links the file or sets its attributes changes the
        // file's change time, so that a comparison of change times would never succeed.
        guard now.isDated(as: moment) else {
            throw ProviderError(.transient, message: "A program has changed the file meanwhile.")
        }
    }
}
