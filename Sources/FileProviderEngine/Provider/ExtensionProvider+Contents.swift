import ExtensionHost
import FileProviderWire
import ItemValues
import LinuxSystem

/// Requests for the contents of files, whole or in byte ranges.
extension ExtensionProvider {
    package func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        try await contents(of: identifier, takesUsed: false, progress: progress)
    }

    package func contents(
        of identifier: String, takesUsed: Bool, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        try await contents(ProviderContentsCall(identifier: identifier, takesUsed: takesUsed), progress)
    }

    package func usesExistingContents() async throws(ProviderError) -> Bool {
        try await abilities().usesExisting
    }

    package func contents(
        of identifier: String, using existing: ExistingContents, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        let file = try Self.readOnly(existing.descriptor)
        let call = ProviderContentsCall(identifier: identifier, existing: file, existingVersion: existing.version)
        return try await contents(call, progress)
    }

    private func contents(
        _ call: ProviderContentsCall, _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        let answer = try await ask(call, isSafe: true, .transfer, progress: progress)
        let item = try Self.checked(answer.item, identifier: call.identifier)
        // Reading from a pipe or a device could block the reader.
        guard answer.file.isOpenForReading, answer.file.knownKind == .regular else {
            throw .bad("contents that are not a readable file")
        }
        return ProviderContents(descriptor: answer.file, item: item, moment: answer.moment)
    }

    package func servesParts() async throws(ProviderError) -> Bool {
        try await abilities().servesParts
    }

    package func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart {
        let call = ProviderPartCall(
            identifier: request.identifier, contentVersion: request.version, metadataVersion: request.metadataVersion,
            range: request.range, alignment: Int(request.alignment))
        let answer = try await ask(call, isSafe: true, .transfer, through: parts)
        let item = try Self.checked(answer.item, identifier: request.identifier)
        guard answer.file.isOpenForReading, answer.file.knownKind == .regular else {
            throw .bad("a part that is not a readable file")
        }
        return ProviderPart(descriptor: answer.file, item: item, range: answer.range)
    }
}
