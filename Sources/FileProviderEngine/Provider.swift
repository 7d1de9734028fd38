import FileProvider
import LinuxSystem

/// What the engine asks of a provider, whichever of the two models it is written for, and wherever it runs.
///
/// Functions may be called at the same time and in any order, and do not block a thread. Cancelling the task cancels the
/// request. Each ends in bounded time: an extension that is silent for too long is ended and the failure says so. What comes back
/// has been checked only as far as its form goes.
package protocol Provider: Sendable {
    /// The item now.
    func item(_ identifier: String) async throws(ProviderFailure) -> ProviderItem

    /// One page of a container. The first is asked for with `nil`.
    func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderFailure) -> ItemPage

    /// Where the changes that follow begin; `nil` where the container has no anchors.
    func currentAnchor(of container: String) async throws(ProviderFailure) -> [UInt8]?

    /// What changed since an anchor.
    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderFailure) -> ChangeBatch

    /// The whole contents of a file, as an open file that the engine may read for as long as it holds it.
    ///
    /// - Parameter progress: bytes that are there and bytes in all, now and then.
    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderContents

    /// The same.
    ///
    /// - Parameter takesUsed: whether the file is taken as it is where a program has it and does not let go of it.
    func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderContents

    /// Whether the provider gives parts of files.
    func servesParts() async throws(ProviderFailure) -> Bool

    /// Some bytes of a file.
    ///
    /// - Returns: a file that has at least these bytes at their places, which the engine may read for as long as it holds it. Neither
    ///   its version nor its range is checked.
    /// - Throws: of kind `expired` where the version is not to be had any more, `unsupported` where the provider gives no parts of
    ///   this file.
    func part(_ request: PartRequest) async throws(ProviderFailure) -> ProviderPart

    /// Makes an item of a file's contents, or a folder, or a link.
    ///
    /// Safe to repeat: a provider that made it already answers with a collision.
    ///
    /// - Parameter contents: read from its beginning, to its end; `nil` for folders and links.
    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderFailure) -> ProviderItem

    /// Replaces the contents of a file. Answered when the provider has a copy of its own of them; the item that comes back
    /// says whether the service has it too (`uploaded`).
    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderFailure) -> ProviderItem

    /// Renames, moves, or both.
    func move(_ identifier: String, to parent: String, named name: String) async throws(ProviderFailure) -> ProviderItem

    /// Removes an item; a folder with everything in it.
    func delete(_ identifier: String) async throws(ProviderFailure)

    /// Sets one of the facts of an item that a person's use leaves behind, or its attributes.
    ///
    /// - Throws: of kind `unsupported` for attributes only where the provider takes those of no item.
    func set(_ fact: ItemFact, of identifier: String) async throws(ProviderFailure) -> ProviderItem

    /// Puts an item into the trash, a folder with everything in it. Safe to repeat.
    func trash(_ identifier: String) async throws(ProviderFailure) -> ProviderItem

    /// Takes an item out of the trash.
    ///
    /// - Parameter parent: the folder that it goes to; `nil` for the one that it was in.
    func untrash(_ identifier: String, to parent: String?) async throws(ProviderFailure) -> ProviderItem

    /// Takes an item out of the trash.
    ///
    /// - Parameters:
    ///   - parent: the folder that it goes to; `nil` for the one that it was in.
    ///   - former: the folder that it was in, as far as this machine knows, for a provider that does not know that itself.
    func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderFailure) -> ProviderItem

    /// The engine needs the contents no more: the provider may remove its copy.
    func stopProviding(_ identifier: String) async

    /// Makes known who is asking.
    ///
    /// - Throws: of kind `notAuthenticated` where the password is not right, `unsupported` where the provider has another way.
    func signIn(password: String) async throws(ProviderFailure)

    /// Does something of the provider's own with items. Never asked twice for one wish.
    ///
    /// - Parameters:
    ///   - action: as the provider's property list has it.
    ///   - progress: how much is done, and how much is to be done.
    func perform(
        _ action: String, on identifiers: [String], progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure)

    /// What the provider says of its whole domain.
    ///
    /// - Throws: of kind `unsupported` where it says nothing.
    func domainState() async throws(ProviderFailure) -> ProviderDomainState

    /// Has the service look for items, those too that are not known on this machine.
    ///
    /// - Parameters:
    ///   - query: what a person has written; at most ``ProviderSearchCall/longestQuery`` bytes.
    ///   - limit: the most results, up to ``ProviderSearchCall/mostResults``.
    /// - Returns: the best first; no identifier is in it twice.
    /// - Throws: of kind `unsupported` where the provider does not search.
    func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderSearchResults

    /// Small pictures of files, whose contents are not fetched for that.
    ///
    /// - Parameters:
    ///   - identifiers: ``ProviderThumbnailsCall/mostItems`` at most.
    ///   - side: the longest one that is of use, in pixels.
    /// - Returns: what the provider said, of those that it said something about. Pictures are sealed memory files of a bounded
    ///   size with whatever bytes.
    /// - Throws: of kind `unsupported` where the provider has no pictures at all.
    func thumbnails(of identifiers: [String], side: Int) async throws(ProviderFailure) -> [ProviderThumbnail]
}

extension Provider {
    /// Many a provider's files are used by nobody else.
    package func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderContents { try await contents(of: identifier, progress: progress) }

    /// Many a provider has files as a whole only.
    package func servesParts() async throws(ProviderFailure) -> Bool { false }

    package func part(_ request: PartRequest) async throws(ProviderFailure) -> ProviderPart {
        throw ProviderFailure(.unsupported, message: "the provider gives no parts of files")
    }

    /// Many a provider has nobody sign in.
    package func signIn(password: String) async throws(ProviderFailure) {
        throw ProviderFailure(.unsupported, message: "the provider takes no password")
    }

    /// Many a provider has no actions.
    package func perform(
        _ action: String, on identifiers: [String], progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) {
        throw ProviderFailure(.unsupported, message: "the provider performs no actions")
    }

    /// Many a provider says nothing of its domain.
    package func domainState() async throws(ProviderFailure) -> ProviderDomainState {
        throw ProviderFailure(.unsupported, message: "the provider says nothing of its domain")
    }

    /// Many a provider does not search.
    package func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> ProviderSearchResults {
        throw ProviderFailure(.unsupported, message: "the provider does not search")
    }

    /// Many a provider has no pictures.
    package func thumbnails(
        of identifiers: [String], side: Int
    ) async throws(ProviderFailure) -> [ProviderThumbnail] {
        throw ProviderFailure(.unsupported, message: "the provider has no thumbnails")
    }
}

extension Provider {
    package func set(_ fact: ItemFact, of identifier: String) async throws(ProviderFailure) -> ProviderItem {
        throw ProviderFailure(.unsupported, message: "the provider keeps no tags, favorites or dates of use")
    }

    package func trash(_ identifier: String) async throws(ProviderFailure) -> ProviderItem {
        throw ProviderFailure(.unsupported, message: "the provider has no trash")
    }

    package func untrash(_ identifier: String, to parent: String?) async throws(ProviderFailure) -> ProviderItem {
        throw ProviderFailure(.unsupported, message: "the provider has no trash")
    }

    package func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderFailure) -> ProviderItem { try await untrash(identifier, to: parent) }
}

/// What an item that is not there yet is to be.
package struct NewItem: Sendable, Equatable {
    package var parent: String
    package var filename: String
    package var kind: ProviderItem.Kind
    package var linkTarget: String?
    /// Seconds since 1970.
    package var modified: Double
    package var isExecutable: Bool
    /// What it is called on this machine, the same each time that it is asked for; `nil` where nobody says.
    package var template: String?

    package init(
        parent: String, filename: String, kind: ProviderItem.Kind, linkTarget: String? = nil, modified: Double,
        isExecutable: Bool = false, template: String? = nil
    ) {
        self.parent = parent
        self.filename = filename
        self.kind = kind
        self.linkTarget = linkTarget
        self.modified = modified
        self.isExecutable = isExecutable
        self.template = template
    }
}

/// Items of one page, and the page that follows; `nil` at the end.
package struct ItemPage: Sendable {
    package var items: [ProviderItem]
    package var next: [UInt8]?

    package init(items: [ProviderItem], next: [UInt8]?) {
        self.items = items
        self.next = next
    }
}

/// Changes, in the order in which the provider told them.
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

/// A file's contents with what the provider says of the file at that moment.
package struct ProviderContents: Sendable {
    package var descriptor: FileDescriptor
    package var item: ProviderItem
    /// The file when nobody wrote to it; `nil` where nobody else has it.
    package var moment: FileMoment?

    package init(descriptor: FileDescriptor, item: ProviderItem, moment: FileMoment? = nil) {
        self.descriptor = descriptor
        self.item = item
        self.moment = moment
    }

    /// Fails where a program has written to the file since it was handed over: what was read of it may be neither the old nor the new.
    func checkUnchanged() throws(ProviderFailure) {
        guard let moment else { return }
        let now = try onDisk { () throws(Errno) in FileMoment(try descriptor.status()) }
        // Only by size and date: a provider that links or marks the file changes the date of its last change, and would never be done.
        guard now.isDated(as: moment) else {
            throw ProviderFailure(.transient, message: "A program has changed the file meanwhile.")
        }
    }
}
