import FileProviderWire
import ItemValues
import LinuxSystem

/// The requests that the engine sends to a provider. The provider may be replicated or not, and may run in any process.
///
/// Functions may be called concurrently and in any order, and do not block a thread. Cancelling the task cancels the
/// request. Each request ends in bounded time: if an extension does not reply for too long, it is killed, and the
/// request fails with this reason. Replies are well-formed, but unless a function says so, their values have not been
/// validated.
package protocol Provider: Sendable {
    /// Returns the item with the given identifier, in its present state at the provider.
    func item(_ identifier: String) async throws(ProviderError) -> ProviderItem

    /// Returns one page of a container's items.
    ///
    /// - Parameter page: The token of the page; `nil` for the first page.
    func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderError) -> ItemPage

    /// Returns the container's current sync anchor; `nil` if the provider has no anchors for the container.
    func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]?

    /// Returns the changes in a container since the given sync anchor.
    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch

    /// Fetches the whole contents of a file. The engine may read the returned file until it closes the descriptor.
    ///
    /// - Parameter progress: Called repeatedly with the number of bytes transferred so far, and the total number of
    ///   bytes.
    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Fetches the whole contents of a file.
    ///
    /// - Parameter takesUsed: Whether to return the contents of the provider's file even if another process is using
    ///   that file and does not relinquish it.
    func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Returns whether the provider can use contents of an earlier version to fetch a file.
    func usesExistingContents() async throws(ProviderError) -> Bool

    /// Fetches the whole contents of a file with the help of an earlier version's contents, for example to transfer
    /// only the difference. The engine retains the earlier contents while the request runs.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/expired`` if the provider cannot use the earlier version.
    func contents(
        of identifier: String, using existing: ExistingContents,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents

    /// Returns whether the provider supports fetching byte ranges of files.
    func servesParts() async throws(ProviderError) -> Bool

    /// Fetches a byte range of a file.
    ///
    /// - Returns: A file that has at least the requested bytes, at the same offsets. The engine may read the file until
    ///   it closes the descriptor. Neither the version nor the range of the returned part has been validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/expired`` if the version is not available any more. A failure
    ///   of kind ``ProviderError/Kind/unsupported`` if the provider returns no byte ranges of this file.
    func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart

    /// Creates a file with contents, a directory, or a symbolic link.
    ///
    /// Safe to repeat: if an earlier attempt has created the item, the provider reports a collision.
    ///
    /// - Parameter contents: The file's contents, read from the beginning to the end; `nil` for directories and links.
    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem

    /// Replaces the contents of a file. Returns when the provider has a copy of the new contents. The flag `uploaded`
    /// of the returned item reports whether the provider's service has the contents, too.
    ///
    /// - Parameters:
    ///   - base: The version of the contents on which the new contents are based.
    ///   - modified: The modification date, in seconds since 1970.
    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem

    /// Renames an item, moves it, or both.
    func move(_ identifier: String, to parent: String, named name: String) async throws(ProviderError) -> ProviderItem

    /// Removes an item. A directory is removed with everything in it.
    func delete(_ identifier: String) async throws(ProviderError)

    /// Sets one kind of an item's user metadata, or its attributes.
    ///
    /// - Throws: For attributes, a failure of kind ``ProviderError/Kind/unsupported`` only if the provider does not
    ///   accept attributes of any item.
    func set(_ metadataChange: UserMetadataChange, of identifier: String) async throws(ProviderError) -> ProviderItem

    /// Moves an item to the trash. A directory is moved with everything in it. Safe to repeat.
    func trash(_ identifier: String) async throws(ProviderError) -> ProviderItem

    /// Moves an item out of the trash.
    ///
    /// - Parameter parent: The directory to move the item to; `nil` for the item's former directory.
    func untrash(_ identifier: String, to parent: String?) async throws(ProviderError) -> ProviderItem

    /// Moves an item out of the trash.
    ///
    /// - Parameters:
    ///   - parent: The directory to move the item to; `nil` for the item's former directory.
    ///   - former: The item's former directory, for providers that do not record it; `nil` if it is not known locally.
    func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderError) -> ProviderItem

    /// Notifies the provider that the engine no longer needs its copy of a file's contents, so that the provider may
    /// remove the copy.
    func stopProviding(_ identifier: String) async

    /// Signs the user in with a password.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/notAuthenticated`` if the password is wrong. A failure of kind
    ///   ``ProviderError/Kind/unsupported`` if the provider has no sign-in by password.
    func signIn(password: String) async throws(ProviderError)

    /// Notifies the provider that an import of items has ended.
    func importDidFinish() async throws(ProviderError)

    /// Performs a custom action of the provider on items. For each time that the user invokes an action, the engine
    /// sends this request once and never repeats it.
    ///
    /// - Parameters:
    ///   - action: The action's identifier in the provider's property list.
    ///   - input: The text that the user entered; `nil` if the action asks for none.
    ///   - progress: Called with the completed and the total amount of work.
    /// - Returns: The provider's message for the user.
    func perform(
        _ action: String, on identifiers: [String], input: String?,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply

    /// Returns the provider's state of the whole domain.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider has no such state.
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

    /// Fetches thumbnails of files, without fetching the files' contents.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers of at most ``ProviderThumbnailsCall/mostItems`` files.
    ///   - side: The maximum useful length of a thumbnail's side, in pixels.
    /// - Returns: The results for the items about which the provider replied. Pictures are sealed memory files of a
    ///   bounded size. Their bytes have not been validated.
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider has no thumbnails at all.
    func thumbnails(of identifiers: [String], side: Int) async throws(ProviderError) -> [ProviderThumbnail]
}

extension Provider {
    /// Fetches the whole contents, and ignores `takesUsed`. This is the default for providers whose files other
    /// processes do not use.
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

    /// Throws a failure of kind ``ProviderError/Kind/unsupported``. This is the default for providers without sign-in
    /// by password.
    package func signIn(password: String) async throws(ProviderError) {
        throw ProviderError(.unsupported, message: "the provider takes no password")
    }

    /// Does nothing. This is the default for providers that need no notice that an import has ended.
    package func importDidFinish() async throws(ProviderError) {}

    /// Throws a failure of kind ``ProviderError/Kind/unsupported``. This is the default for providers without custom
    /// actions.
    package func perform(
        _ action: String, on identifiers: [String], input: String?,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply {
        throw ProviderError(.unsupported, message: "the provider performs no actions")
    }

    /// Throws a failure of kind ``ProviderError/Kind/unsupported``. This is the default for providers without a domain
    /// state.
    package func domainState() async throws(ProviderError) -> ProviderDomainState {
        throw ProviderError(.unsupported, message: "the provider reports no state of its domain")
    }

    /// Throws a failure of kind ``ProviderError/Kind/unsupported``. This is the default for providers without search.
    package func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderSearchResults {
        throw ProviderError(.unsupported, message: "the provider does not search")
    }

    /// Throws a failure of kind ``ProviderError/Kind/unsupported``. This is the default for providers without
    /// thumbnails.
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
    /// Whether the item's mode grants no permissions to its group and to others.
    package var isPrivate: Bool
    /// The identifier that this machine assigned to the item, which is the same in each attempt to create it; `nil` if
    /// there is none.
    package var template: String?
    /// Whether the provider may already have the item, because it is being imported.
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

/// One page of a container's items. ``next`` is the token of the next page; `nil` after the last page.
package struct ItemPage: Sendable {
    package var items: [ProviderItem]
    package var next: [UInt8]?

    package init(items: [ProviderItem], next: [UInt8]?) {
        self.items = items
        self.next = next
    }
}

/// The changes that the provider reports in one reply, in the order of the reply.
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

/// Local contents of a file in a version that the provider has replaced.
package struct ExistingContents: Sendable {
    package let descriptor: FileDescriptor
    package let version: [UInt8]

    package init(descriptor: FileDescriptor, version: [UInt8]) {
        self.descriptor = descriptor
        self.version = version
    }
}

/// A file's contents, and the item that the provider reported in the same reply.
package struct ProviderContents: Sendable {
    package var descriptor: FileDescriptor
    package var item: ProviderItem
    /// The status of the file at an instant when no program was writing to it. `nil` if programs cannot write to the
    /// file, or if it was returned although a program was using it.
    package var moment: FileMoment?

    package init(descriptor: FileDescriptor, item: ProviderItem, moment: FileMoment? = nil) {
        self.descriptor = descriptor
        self.item = item
        self.moment = moment
    }

    /// Throws a failure if another process has written to the file after the provider returned it. The bytes that were
    /// read may then be a mixture of old and new contents.
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
