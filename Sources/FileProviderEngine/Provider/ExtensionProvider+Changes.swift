import ExtensionHost
import FileProviderWire
import ItemValues
import LinuxSystem

/// Requests that change items at the provider.
extension ExtensionProvider {
    package func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem {
        let file = try contents.map(Self.readOnly)
        let made = try await ask(
            ProviderCreateCall(
                parent: item.parent, filename: item.filename, kind: item.kind, linkTarget: item.linkTarget,
                modified: item.modified, isExecutable: item.isExecutable, isPrivate: item.isPrivate, contents: file,
                template: item.template, mayAlreadyExist: item.mayAlreadyExist),
            isSafe: false, .transfer, through: uploads)
        guard Self.isListable(made) else { throw .bad("\(made.identifier) as a new item") }
        return made
    }

    package func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem {
        let item = try await ask(
            ProviderReplaceCall(
                identifier: identifier, contents: try Self.readOnly(contents), base: base, modified: modified),
            isSafe: false, .transfer, through: uploads)
        return try Self.changed(item, identifier: identifier)
    }

    package func stopProviding(_ identifier: String) async {
        // A replicated provider retains no copies, so the request is skipped. When many small files are read, these
        // requests would take a tenth of the time.
        guard (try? await abilities().keepsCopies) ?? true else { return }
        await uses.stop(identifier) {
            // If the provider fails to remove its copy, no harm is done.
            _ = try? await self.ask(ProviderStopCall(identifier: identifier), isSafe: false)
        }
    }

    // MARK: User metadata

    package func set(_ metadataChange: UserMetadataChange, of identifier: String) async throws(ProviderError)
        -> ProviderItem
    {
        let item = try await ask(
            ProviderMetadataCall(identifier: identifier, metadataChange: metadataChange), isSafe: true)
        return try Self.changed(item, identifier: identifier)
    }

    // MARK: The trash

    package func trash(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        try Self.changed(
            try await ask(ProviderTrashCall(identifier: identifier), isSafe: false), identifier: identifier)
    }

    package func untrash(_ identifier: String, to parent: String?) async throws(ProviderError) -> ProviderItem {
        try await untrash(identifier, to: parent, formerlyIn: nil)
    }

    package func untrash(
        _ identifier: String, to parent: String?, formerlyIn former: String?
    ) async throws(ProviderError) -> ProviderItem {
        let request = ProviderUntrashCall(identifier: identifier, parent: parent, former: former)
        return try Self.changed(try await ask(request, isSafe: false), identifier: identifier)
    }

    // MARK: Places

    package func move(
        _ identifier: String, to parent: String, named name: String
    ) async throws(ProviderError) -> ProviderItem {
        let item = try await ask(
            ProviderMoveCall(identifier: identifier, parent: parent, name: name), isSafe: false)
        return try Self.changed(item, identifier: identifier)
    }

    package func delete(_ identifier: String) async throws(ProviderError) {
        _ = try await ask(ProviderDeleteCall(identifier: identifier), isSafe: false)
    }
}
