import ExtensionHost
import FileProviderWire
import LinuxSystem

/// Thumbnails.
extension ExtensionProvider {
    package func thumbnails(
        of identifiers: [String], side: Int
    ) async throws(ProviderError) -> [ProviderThumbnail] {
        let answer = try await ask(
            ProviderThumbnailsCall(identifiers: identifiers, side: side), isSafe: true, .transfer)
        var awaited = Set(identifiers)
        return answer.thumbnails.compactMap { thumbnail in
            guard awaited.remove(thumbnail.identifier) != nil else { return nil }
            guard let picture = thumbnail.picture else { return thumbnail }
            let size = (try? picture.status().size) ?? .max
            if MemoryFile.isSealed(picture), size <= ProviderThumbnailsCall.largestPicture { return thumbnail }
            return ProviderThumbnail(
                identifier: thumbnail.identifier, picture: nil, failure: .bad("a thumbnail that is no sealed picture"))
        }
    }
}
