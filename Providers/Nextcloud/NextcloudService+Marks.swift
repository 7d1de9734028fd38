import DAVFileProvider
import FileProvider
import Foundation
import NextcloudClient
import WebDAVClient

/// Stores favorites and tags at the server.
extension NextcloudService {
    /// Returns tags in the encoding of ``NSFileProviderItemProtocol/tagData``: a property list of their names.
    static func tagData(_ names: [String]) -> [UInt8]? {
        guard !names.isEmpty else { return nil }
        let list = names.sorted()
        return (try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)).map {
            [UInt8]($0)
        }
    }

    /// Returns the names of tags. A color after a line feed is dropped, because the server's tags have no colors.
    package static func tags(in data: Data?) -> [String] {
        guard let data, data.count < 1 << 16,
            let list = (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String]
        else { return [] }
        return list.compactMap { $0.split(separator: "\n").first.map { String($0) } }
    }

    package func setMarks(
        _ marks: DAVMarks, of item: DAVKnownItem, with client: DAVClient
    ) async throws(DAVError) -> NSFileProviderItemFields {
        var taken: NSFileProviderItemFields = []
        let nextcloud = try nextcloud(client)
        if marks.fields.contains(.favoriteRank) {
            try await nextcloud.setFavorite((marks.favoriteRank ?? 0) > 0, of: item.address)
            taken.insert(.favoriteRank)
        }
        if marks.fields.contains(.tagData), let number = item.traits.identity.flatMap({ Int64($0) }) {
            try await setTags(Set(Self.tags(in: marks.tagData)), of: number, nextcloud)
            taken.insert(.tagData)
        }
        return taken
    }

    private func setTags(_ names: Set<String>, of number: Int64, _ client: NextcloudClient) async throws(DAVError) {
        let present = try await client.tags(of: number)
        for tag in present where !names.contains(tag.name) { try await client.remove(tag, from: number) }
        let missing = names.subtracting(present.map(\.name))
        guard !missing.isEmpty else { return }
        let known = try await client.tags()
        for name in missing.sorted() {
            var tag = known.first { $0.name == name && $0.isAssignable }
            if tag == nil { tag = try await client.makeTag(name) }
            if let tag { try await client.add(tag, to: number) }
        }
    }
}
