import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import UniformTypeIdentifiers
import WebDAVClient

/// Sends local changes to the server.
extension DAVWork {
    /// The reply to a creation or modification.
    struct Changed: Sendable {
        let item: any NSFileProviderItem & Sendable
        /// The fields that were not stored because the server does not support them.
        var pending: NSFileProviderItemFields = []
    }

    /// Runs a function with a ``ServerWriter``.
    ///
    /// - Parameters:
    ///   - folder: the number of the folder in which the function makes a change.
    ///   - address: the address to which the function uploads a file; `nil` if it uploads none.
    func write<Reply: Sendable>(
        in folder: Int64, uploadingTo address: HTTPAddress? = nil, _ progress: Progress? = nil,
        _ body: @Sendable (ServerWriter) async throws(DAVError) -> Reply
    ) async throws -> Reply {
        let profile = try await account.knownProfile(in: folder)
        @Sendable func ask() async throws -> Reply {
            try await account.ask { client throws(DAVError) in
                var client = client
                if let progress { client.onProgress = { sent, _ in progress.completedUnitCount = Int64(sent) } }
                return try await body(account.writer(client, profile, in: folder, temporary: temporary))
            }
        }
        guard let address, profile.makesParents else { return try await ask() }
        return try await account.moves.upload(to: address, ask)
    }

    // MARK: New items

    /// The properties of a new item.
    struct Template: Sendable {
        let identifier: String
        let parent: NSFileProviderItemIdentifier
        let name: String
        let type: UTType
        let modified: Date?
        let contents: URL?

        init(_ item: any NSFileProviderItem, contents url: URL?) {
            identifier = item.itemIdentifier.rawValue
            parent = item.parentItemIdentifier
            name = item.filename
            type = (item.contentType as UTType?) ?? .data
            modified = item.contentModificationDate ?? nil
            contents = url
        }
    }

    func create(_ template: Template, _ progress: Progress) async throws -> Changed {
        try await withFolder(template.parent) {
            try await whereverItIs(template.parent) { try await make(template, progress) }
        }
    }

    private func make(_ template: Template, _ progress: Progress) async throws -> Changed {
        guard template.type == .folder || template.contents != nil else {
            // For example symbolic links, which WebDAV does not have.
            throw NSFileProviderError(
                .excludedFromSync,
                userInfo: [NSLocalizedDescriptionKey: "The server stores only files and folders."])
        }
        let parent = try await account.known(template.parent)
        try parent.require(.allowsWriting)
        let (folder, name, identifier) = (parent.item.number, template.name, template.identifier)
        let earlier = try await account.catalogue.perform { catalogue in
            let earlier = try catalogue.creation(identifier)
            if earlier == nil { try catalogue.noteCreation(identifier, in: folder, named: name) }
            return earlier
        }
        let modified = template.modified.map(HTTPDate.init)
        let outgoing = try await Blocking.run {
            try template.contents.map { try OutgoingFile($0, modified: modified, for: identifier) }
        }
        if let number = earlier?.number, let made = try await account.known(number) {
            // An earlier attempt created the item, but its reply was lost. The contents may have changed since.
            guard let outgoing else { return Changed(item: try await tell(made.item)) }
            return try await replace(made, outgoing, base: made.item.contentVersion, progress)
        }
        let address = try parent.address.appending(name)
        progress.totalUnitCount = Int64(outgoing?.count ?? 0) + 1
        let entry: DAVEntry
        do {
            entry = try await write(in: folder, uploadingTo: address, progress) { writer throws(DAVError) in
                if writer.profile.makesParents { _ = try await writer.client.entry(at: parent.address) }
                guard let outgoing else {
                    return try await writer.makeFolder(address.asDirectory, isRepeated: earlier != nil)
                }
                // An earlier attempt may still arrive at the server. A further attempt must therefore be conditional.
                if earlier == nil, let made = await writer.sendTogether(outgoing, to: address, in: parent) {
                    return made
                }
                return try await writer.create(address, outgoing, isRepeated: earlier != nil)
            }
        } catch let error as DAVError {
            throw try await collision(error, at: address, in: parent)
        }
        // The round begins after the change. A listing that began before the change may lack the new item, and is then
        // recognized as a stale reply.
        let round = try await account.catalogue.perform { try $0.beginRound() }
        guard let made = try await note(entry, in: folder, round: round) else { throw CocoaError(.fileReadUnknown) }
        try await account.catalogue.perform { try $0.noteCreated(identifier, made.item.number) }
        if let outgoing { try await noteSent(outgoing, of: made.item, entry) }
        return Changed(item: try await tell(made.item))
    }

    /// Returns the error for an item that cannot be added to a folder. If another item already has the name, the error
    /// contains that item. If the folder no longer exists, the error contains the identifier of the folder.
    func collision(_ error: DAVError, at address: HTTPAddress, in parent: DAVKnownItem) async throws
        -> any Error
    {
        switch error {
        case .exists:
            let round = try await account.catalogue.perform { try $0.beginRound() }
            let entry = try await account.ask { client throws(DAVError) in try await client.entry(at: address) }
            guard let other = try await note(entry, in: parent.item.number, round: round) else { return error }
            return NSError.fileProviderErrorForCollision(with: account.object(other.item))
        case .parentMissing, .notFound, .status:
            // Some servers reply with an unusual status if the folder is missing.
            do {
                _ = try await refresh(parent)
            } catch NSFileProviderError.noSuchItem {
                return NSError.fileProviderErrorForNonExistentItem(withIdentifier: parent.identifier)
            }
            return error
        default: return error
        }
    }

    /// Records the digest of uploaded contents if other contents may get the same version at the server.
    private func noteSent(_ outgoing: OutgoingFile, of item: CataloguedItem, _ entry: DAVEntry) async throws {
        try await noteContents(outgoing.file, outgoing.count, of: item, isRacy: entry.isRacy)
    }

    // MARK: Contents

    func replace(
        _ known: DAVKnownItem, _ outgoing: OutgoingFile, base: String, _ progress: Progress
    ) async throws -> Changed {
        let number = known.item.number
        progress.totalUnitCount = Int64(outgoing.count) + 1
        let digest = try await digest(of: number, version: base)
        let entry = try await account.catalogue.moving(number) {
            try await write(in: known.item.parent, uploadingTo: known.address, progress) { writer throws(DAVError) in
                try await writer.replace(
                    known.address, with: outgoing, base: ServerWriter.Base(version: base, digest: digest))
            }
        }
        let round = try await account.catalogue.perform { try $0.beginRound() }
        let noted = try await note(entry, as: known, round: round)
        try await noteSent(outgoing, of: noted.item, entry)
        return Changed(item: try await tell(noted.item))
    }

    // MARK: Modifications

    /// A change of an item.
    struct Modification: Sendable {
        let identifier: NSFileProviderItemIdentifier
        let base: String
        let fields: NSFileProviderItemFields
        let parent: NSFileProviderItemIdentifier
        let name: String
        let modified: Date?
        let marks: DAVMarks
        let contents: URL?

        /// Whether the item gets another name or folder.
        var isMove: Bool { !fields.isDisjoint(with: [.filename, .parentItemIdentifier]) }

        init(
            _ item: any NSFileProviderItem, _ version: NSFileProviderItemVersion, _ fields: NSFileProviderItemFields,
            contents url: URL?
        ) {
            identifier = item.itemIdentifier
            base = String(decoding: version.contentVersion, as: UTF8.self)
            self.fields = fields
            parent = item.parentItemIdentifier
            name = item.filename
            modified = item.contentModificationDate ?? nil
            marks = DAVMarks(item, fields)
            contents = url
        }
    }

    func modify(_ change: Modification, _ progress: Progress) async throws -> Changed {
        do {
            if change.isMove { return try await withFolder(change.parent) { try await apply(change, progress) } }
            return try await whereverItIs(change.identifier) { try await apply(change, progress) }
        } catch DAVError.notFound {
            do {
                // Throws if the item no longer exists. If it is at another address, the system repeats the change.
                _ = try await refresh(try await account.known(change.identifier))
            } catch let error as MissingAfterRestore {
                guard change.fields.contains(.contents), let url = change.contents, change.parent != .trashContainer
                else { throw error }
                return try await sendLost(change, url, progress)
            }
            throw DAVError.changed(change.name)
        }
    }

    /// Runs a function that changes an item, or a descendant of it, at the recorded address of the item. If the
    /// function fails, and the address has changed meanwhile because a folder was moved, runs the function again.
    private func whereverItIs<Reply: Sendable>(
        _ identifier: NSFileProviderItemIdentifier, _ body: () async throws -> Reply
    ) async throws -> Reply {
        let address = try? await account.known(identifier).address
        do {
            return try await body()
        } catch {
            await account.moves.wait()
            guard let now = try? await account.known(identifier).address, now != address else { throw error }
            return try await body()
        }
    }

    private func apply(_ change: Modification, _ progress: Progress) async throws -> Changed {
        var known: DAVKnownItem
        do {
            known = try await account.known(change.identifier)
        } catch NSFileProviderError.noSuchItem where account.service.hasTrash {
            return try await restore(change)
        }
        var pending = change.fields
        let date = change.modified.map(HTTPDate.init)
        let url = change.fields.contains(.contents) ? change.contents : nil
        if url != nil { try known.require(.allowsWriting) }
        let outgoing = try await Blocking.run {
            try url.map { try OutgoingFile($0, modified: date, for: change.identifier.rawValue) }
        }
        var isReplaced = false
        if change.isMove {
            if change.parent == .trashContainer { return try await trash(known) }
            if let outgoing { isReplaced = try await replaceBeforeMove(&known, outgoing, change, progress) }
            known = try await move(known, change)
            pending.subtract([.filename, .parentItemIdentifier])
        }
        if let outgoing {
            pending.subtract([.contents, .contentModificationDate])
            if isReplaced { return Changed(item: try await tell(known.item), pending: pending) }
            var changed = try await replace(known, outgoing, base: change.base, progress)
            changed.pending = pending
            return changed
        }
        if change.fields.contains(.contentModificationDate), let date,
            try await account.knownProfile(in: known.item.parent).takesDateByProperty
        {
            let address = known.address
            let isSet = try await account.ask { client throws(DAVError) in
                try await client.setModified(date, of: address)
            }
            if isSet { pending.remove(.contentModificationDate) }
            known = try await refresh(known)
        }
        if !change.marks.fields.isEmpty {
            let item = try await present(known)
            pending.subtract(
                try await account.ask { [account] client throws(DAVError) in
                    try await account.service.setMarks(change.marks, of: item, with: client)
                })
            known = try await refresh(known)
        }
        return Changed(item: try await tell(known.item), pending: pending)
    }

    /// Replaces the contents of a file before the file is moved. Some servers assign a new version to a moved file, so
    /// that the version that the edit is based on could not be checked after the move.
    ///
    /// - Returns: `false` if the file is no longer at its former place, because an earlier attempt may have moved it.
    private func replaceBeforeMove(
        _ known: inout DAVKnownItem, _ outgoing: OutgoingFile, _ change: Modification, _ progress: Progress
    ) async throws -> Bool {
        do {
            _ = try await replace(known, outgoing, base: change.base, progress)
        } catch DAVError.notFound {
            return false
        }
        known = try await account.known(change.identifier)
        return true
    }

    // MARK: Removal

    func remove(
        _ identifier: NSFileProviderItemIdentifier, base: String, isRecursive: Bool
    ) async throws {
        let known: DAVKnownItem
        do {
            known = try await account.known(identifier)
        } catch NSFileProviderError.noSuchItem {
            return
        }
        try await requireRemovable(known)
        do {
            if known.isFolder {
                if isRecursive {
                    try await requireKnown(known)
                } else {
                    try await account.endExchanges(in: known.item.number, temporary: temporary)
                }
                try await write(in: known.item.parent) { writer throws(DAVError) in
                    if isRecursive {
                        try await writer.client.deleteTree(known.address)
                    } else {
                        try await writer.removeEmptyFolder(known.address, known.item.number)
                    }
                }
            } else {
                // This is the version that the system received last. The user has not seen a later one.
                let seen = known.item.told ?? base
                let number = known.item.number
                let digest = try await digest(of: number, version: seen)
                try await account.catalogue.moving(number) {
                    try await write(in: known.item.parent) { writer throws(DAVError) in
                        try await writer.remove(known.address, base: ServerWriter.Base(version: seen, digest: digest))
                    }
                }
            }
        } catch DAVError.partial {
            throw NSFileProviderError(.directoryNotEmpty)
        } catch DAVError.requirementFailed {
            let now = try await refresh(known)
            throw NSError.fileProviderErrorForRejectedDeletion(of: try await tell(now.item))
        } catch DAVError.notFound {}
        // An item that is missing at its former address may have been moved with its folder meanwhile.
        await account.moves.wait()
        if let now = try await account.known(known.item.number), now.address != known.address {
            throw DAVError.changed(known.name)
        }
        try await account.catalogue.perform { try $0.remove(known.item) }
    }

    /// Checks that a folder's contents at the server equal the catalogue's record.
    ///
    /// - Throws: `directoryNotEmpty` if another client has added or changed an item.
    private func requireKnown(_ folder: DAVKnownItem) async throws {
        var rest = [folder]
        while let known = rest.popLast() {
            let entries = try await account.ask { client throws(DAVError) in
                let listing = try await client.list(known.address)
                let entries = try await listing.all()
                try await listing.requireNothingLeftOut()
                return entries
            }
            for entry in entries {
                let child = try await account.catalogue.perform {
                    try $0.child(of: known.item.number, named: entry.name)
                }
                let observed = ObservedItem(entry, account.service)
                guard let child, child.isFolder == entry.isDirectory,
                    child.isFolder || child.told ?? child.contentVersion == observed.version.text,
                    let inner = try await account.known(child.number)
                else { throw NSFileProviderError(.directoryNotEmpty) }
                if inner.isFolder { rest.append(inner) }
            }
        }
    }
}
