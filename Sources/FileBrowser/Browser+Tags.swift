import DomainMessages
import FileProvider
import ItemValues
import LinuxSystem

/// Tags of items.
extension Browser {
    /// Returns the tags of an item; none if they cannot be read.
    package func tags(of item: BrowserItem) async -> [String] {
        (try? await daemon.call(TagItemCall(place: item.place, added: [], removed: [])).tags) ?? []
    }

    /// Returns the tags in a comma-separated text.
    package nonisolated static func tags(in text: String) -> [String] {
        var tags: [String] = []
        for part in text.split(separator: ",") {
            let tag = String(part).trimmed
            if !tag.isEmpty, !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Returns the reason why a text cannot be a list of tags, or `nil` if it can.
    package nonisolated static func fault(ofTags text: String) -> String? {
        let tags = tags(in: text)
        if tags.count > TagList.most { return "An item has at most \(TagList.most) tags." }
        return tags.lazy.compactMap { TagList.fault(of: $0) }.first.map { BrowserError.sentence($0) }
    }

    /// Changes the tags of items. Removes the tags of `former` that are not in `tags`, and adds the tags of `tags` that
    /// are not in `former`. All other tags of an item stay.
    package func setTags(_ items: [BrowserItem], from former: [String], to tags: [String]) {
        let added = tags.filter { !former.contains($0) }
        let removed = former.filter { !tags.contains($0) }
        guard !added.isEmpty || !removed.isEmpty else { return }
        attempt { browser throws(BrowserError) in
            for item in items {
                _ = try await browser.daemon.call(TagItemCall(place: item.place, added: added, removed: removed))
            }
            browser.whenDone("Tags of \(Self.words(for: items)) changed", false)
            browser.whenChanged(.selection)
            if case .tag = browser.location { browser.loadAgain() }
        }
    }
}
