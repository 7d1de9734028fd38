import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import UniformTypeIdentifiers

/// Requests that send local changes to the provider.
extension ReplicaProvider {
    // MARK: New items

    func create(_ request: ProviderCreateCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        var template = ProviderItem(
            identifier: request.template ?? UUID().uuidString, parent: request.parent, filename: request.filename,
            kind: request.kind)
        var fields: NSFileProviderItemFields = [.filename, .parentItemIdentifier, .contentModificationDate]
        template.contentType = Self.type(of: request).identifier
        template.modified = request.modified
        template.linkTarget = request.linkTarget
        template.flags = []
        var file: UploadFile?
        // Removes the file's directory, and the file unless the provider has moved it away.
        defer { file?.remove() }
        // A link's contents are its target, which the template has.
        if request.kind == .symbolicLink { fields.insert(.contents) }
        if request.kind == .file {
            fields.insert([.contents, .fileSystemFlags])
            var flags: NSFileProviderFileSystemFlags = [.userReadable, .userWritable]
            if request.isExecutable { flags.insert(.userExecutable) }
            template.fileSystemFlags = flags.rawValue
            do {
                let made = try UploadFile(named: request.filename, in: temporary)
                file = made
                template.size = try made.fill(
                    with: request.contents, permissions: request.permissions, for: replica, engineRequest)
            } catch {
                throw UploadFile.failure(error, engineRequest)
            }
            ProviderStep.creationCopied.reach()
        }
        let (item, url) = (ProviderItemObject(template), file?.url)
        let result: Result<ChangedItem, ProviderError> = try ask(engineRequest) { done in
            replica.createItem(
                basedOn: item, fields: fields, contents: url,
                options: request.mayAlreadyExist ? .mayAlreadyExist : [], request: self.request
            ) { done(.of($0, $1, $2, $3)) }
        }
        (request.kind == .folder ? ProviderStep.folderMade : .creationImported).reach()
        let answer = try result.get()
        guard var made = answer.item else {
            // By this reply, the provider requests the removal of the item. The local item must stay, so the reply
            // counts as a failure.
            throw ProviderError(.cannotSynchronize, message: "The provider does not keep this item.")
        }
        if request.kind == .file {
            if answer.pending.contains(.contents) {
                made.flags.insert(.lacksContents)
            } else if answer.fetchesContents {
                made.flags.insert(.hasOtherContents)
            }
        }
        return made
    }

    private static func type(of request: ProviderCreateCall) -> UTType {
        switch request.kind {
        case .folder: .folder
        case .symbolicLink: .symbolicLink
        case .file:
            UTType(filenameExtension: (request.filename as NSString).pathExtension, conformingTo: .data) ?? .data
        }
    }

    // MARK: Contents

    func replace(_ request: ProviderReplaceCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let now = try item(request.identifier, engineRequest)
        guard now.contentVersion == request.base else {
            // The engine then requests the service's version, and keeps both versions.
            throw ProviderError(.transient, message: "the service has other contents than the change began with")
        }
        let file: UploadFile
        do {
            // The provider's filename may be invalid as a name of a file.
            let name = FileName(now.filename) != nil && now.filename.utf8.count <= 255 ? now.filename : "contents"
            file = try UploadFile(named: name, in: temporary)
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        defer { file.remove() }
        var wanted = now
        ProviderStep.replacementBegun.reach()
        do {
            wanted.size = try file.fill(with: request.contents, for: replica, engineRequest)
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        ProviderStep.replacementCopied.reach()
        wanted.modified = request.modified
        let answer = try change(
            now, to: wanted, [.contents, .contentModificationDate], contents: file.url,
            options: failsOnConflict ? .failOnConflict : [], engineRequest)
        ProviderStep.replacementTold.reach()
        if answer.pending.contains(.contents) {
            throw ProviderError(.transient, message: "the provider has not accepted the contents yet")
        }
        var item = try answer.item.orGone
        if answer.fetchesContents { item.flags.insert(.hasOtherContents) }
        return item
    }

    // MARK: Places

    func move(_ request: ProviderMoveCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let now = try item(request.identifier, engineRequest)
        var fields: NSFileProviderItemFields = []
        if !now.parent.hasSameBytes(as: request.parent) { fields.insert(.parentItemIdentifier) }
        if !now.filename.hasSameBytes(as: request.name) { fields.insert(.filename) }
        if fields.isEmpty { return now }
        var wanted = now
        wanted.parent = request.parent
        wanted.filename = request.name
        let answer = try change(now, to: wanted, fields, engineRequest)
        ProviderStep.moved.reach()
        return try answer.having(fields)
    }

    func delete(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) {
        let now = try item(identifier, engineRequest)
        // Outside of the trash, the engine removes only directories that are empty locally. The removal is not
        // recursive, so that items that were added at the provider meanwhile are not removed, too.
        let options: NSFileProviderDeleteItemOptions =
            now.kind == .folder && now.flags.contains(.trashed) ? .recursive : []
        let failure: ProviderError? = try ask(engineRequest) { done in
            replica.deleteItem(
                identifier: NSFileProviderItemIdentifier(identifier), baseVersion: now.baseVersion, options: options,
                request: request
            ) { error in done(error.map { ProviderError($0) }) }
        }
        ProviderStep.deleted.reach()
        if let failure { throw failure }
    }

    func trash(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let now = try item(identifier, engineRequest)
        if now.flags.contains(.trashed) { return now }
        var wanted = now
        wanted.parent = ProviderItem.trashIdentifier
        wanted.flags.insert(.trashed)
        let item = try change(now, to: wanted, .parentItemIdentifier, engineRequest).having(.parentItemIdentifier)
        guard item.flags.contains(.trashed) else {
            throw ProviderError(.unsupported, message: "the provider did not put the item into the trash")
        }
        return item
    }

    /// Moves an item out of the trash, to the requested parent. If the request has no parent, moves the item to its
    /// previous parent, or to the root if the previous parent is unknown or was removed.
    func untrash(_ request: ProviderUntrashCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let now = try item(request.identifier, engineRequest)
        guard now.flags.contains(.trashed) else { return now }
        var wanted = now
        wanted.flags.remove(.trashed)
        wanted.parent = request.parent ?? request.former ?? ProviderItem.rootIdentifier
        do throws(ProviderError) {
            return try change(now, to: wanted, .parentItemIdentifier, engineRequest).having(.parentItemIdentifier)
        } catch  where error.kind == .noSuchItem && request.parent == nil && request.former != nil {
            wanted.parent = ProviderItem.rootIdentifier
            return try change(now, to: wanted, .parentItemIdentifier, engineRequest).having(.parentItemIdentifier)
        }
    }

    // MARK: User metadata

    func set(_ metadataChange: UserMetadataChange, of identifier: String, _ engineRequest: EngineRequest)
        throws(ProviderError) -> ProviderItem
    {
        let now = try item(identifier, engineRequest)
        var wanted = now
        let field: NSFileProviderItemFields
        switch metadataChange {
        case .lastUsed(let time):
            wanted.lastUsed = time
            field = .lastUsedDate
        case .tagData(let data):
            wanted.tagData = data
            field = .tagData
        case .favoriteRank(let rank):
            wanted.favoriteRank = rank
            field = .favoriteRank
        case .attributes(let attributes):
            return try set(attributes, of: now, engineRequest)
        }
        return try change(now, to: wanted, field, engineRequest).having(field)
    }

    /// Sets attributes, and returns the provider's item. Attributes that the provider does not accept are missing from
    /// the returned item, and stay local.
    private func set(
        _ attributes: ItemAttributes, of now: ProviderItem, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderItem {
        var wanted = now
        var fields: NSFileProviderItemFields = []
        if let modified = attributes.modified {
            wanted.modified = modified
            fields.insert(.contentModificationDate)
        }
        if let permissions = attributes.permissions {
            wanted.fileSystemFlags = (now.fileSystemFlags ?? 0) & ~ItemAttributes.permissionFlags | permissions
            fields.insert(.fileSystemFlags)
        }
        if let values = attributes.applied(to: now) {
            wanted.extendedAttributes = values
            fields.insert(.extendedAttributes)
        }
        if fields.isEmpty { return now }
        do throws(ProviderError) {
            return try change(now, to: wanted, fields, engineRequest).item.orGone
        } catch {
            guard error.kind == .unsupported else { throw error }
            throw ProviderError(.notPermitted, message: error.message)
        }
    }

    // MARK: One change

    private func change(
        _ now: ProviderItem, to wanted: ProviderItem, _ fields: NSFileProviderItemFields, contents: URL? = nil,
        options: NSFileProviderModifyItemOptions = [], _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ChangedItem {
        let result: Result<ChangedItem, ProviderError> = try ask(engineRequest) { done in
            replica.modifyItem(
                ProviderItemObject(wanted), baseVersion: now.baseVersion, changedFields: fields, contents: contents,
                options: options, request: request
            ) { done(.of($0, $1, $2, $3)) }
        }
        return try result.get()
    }
}

/// A provider's reply to a change.
private struct ChangedItem: Sendable {
    /// The item after the change; `nil` if the provider requests the removal of the item.
    let item: ProviderItem?
    /// The fields that the provider has not accepted yet.
    let pending: NSFileProviderItemFields
    let fetchesContents: Bool

    /// Returns the item. Throws if the provider accepted none of `fields`.
    func having(_ fields: NSFileProviderItemFields) throws(ProviderError) -> ProviderItem {
        if pending.isSuperset(of: fields) {
            throw ProviderError(.unsupported, message: "the provider did not take the change")
        }
        return try item.orGone
    }
}

extension Result<ChangedItem, ProviderError> {
    fileprivate static func of(
        _ item: (any NSFileProviderItem)?, _ pending: NSFileProviderItemFields, _ fetchesContents: Bool,
        _ error: (any Error)?
    ) -> Self {
        if let error { return .failure(ProviderError(error)) }
        return .success(
            ChangedItem(
                item: item.map { ProviderItem($0).asReplicated }, pending: pending, fetchesContents: fetchesContents))
    }
}

extension ProviderItem? {
    /// The item. Throws `noSuchItem` if the provider does not have the item any more. The engine then creates the item
    /// again if it was edited locally.
    fileprivate var orGone: ProviderItem {
        get throws(ProviderError) {
            guard let self else {
                throw ProviderError(.noSuchItem, message: "The provider does not keep this item any more.")
            }
            return self
        }
    }
}

extension ProviderItem {
    /// The version that a change is based on.
    fileprivate var baseVersion: NSFileProviderItemVersion {
        guard !contentVersion.isEmpty || !metadataVersion.isEmpty else {
            let none = NSFileProviderItemVersion.beforeFirstSyncComponent
            return NSFileProviderItemVersion(contentVersion: none, metadataVersion: none)
        }
        return NSFileProviderItemVersion(
            contentVersion: Data(contentVersion), metadataVersion: Data(metadataVersion))
    }
}
