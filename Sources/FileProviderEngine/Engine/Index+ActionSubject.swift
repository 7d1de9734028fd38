import AppExtension
import FileProviderWire
import ItemStore
import ItemValues

/// Returns items in the form that the predicates of a provider's actions evaluate. The values come from the index,
/// without a request to the provider.
extension Index {
    /// Returns the item with the given number in the form for predicates; `nil` if the item does not exist. Blocks on
    /// the file system.
    ///
    /// - Parameter upload: The state of the item's upload; `nil` if none is known.
    package func actionSubject(of number: ItemNumber, _ upload: UploadState?) throws(IndexError) -> PredicateValue? {
        guard let item = try item(number) else { return nil }
        return item.actionSubject(try metadata(of: number), upload, inherited: try inheritedUserInfo(of: item))
    }

    /// Returns the given item of the trash in the form for predicates.
    package func actionSubject(ofTrashed item: ProviderItem) -> PredicateValue {
        // A trashed item has no row in the index. Its item number is not used.
        let row = IndexedItem(
            number: .root, parent: .root, name: item.filename, item: item, changes: [], content: .dataless,
            localSize: 0, localVersion: [], localModified: nil, mode: nil, listing: .never, isPinned: false)
        return row.actionSubject(ItemMetadata(), nil, inherited: [:])
    }

    /// Returns the domain's `userInfo` in the form for predicates; `PredicateValue.nothing` if the provider has
    /// reported none.
    package func actionDomain() throws(IndexError) -> PredicateValue {
        guard let state = try domainState() else { return .nothing }
        return .object(state.userInfo.mapValues { $0.predicateValue })
    }

    /// Returns the merged `userInfo` of the directories above the given item. If several directories have the same key,
    /// the value of the directory nearest to the item applies.
    private func inheritedUserInfo(
        of item: IndexedItem
    ) throws(IndexError) -> [String: ProviderItem.UserInfoValue] {
        var values: [String: ProviderItem.UserInfoValue] = [:]
        var (number, folder) = (item.number, item.parent)
        for _ in 0..<IndexedItem.mostAncestors {
            guard number != .root, let parent = try self.item(folder) else { break }
            for (key, value) in parent.item.userInfo { values[key] = values[key] ?? value }
            (number, folder) = (parent.number, parent.parent)
        }
        return values
    }
}

extension IndexedItem {
    /// The suffix of the keys in a directory's `userInfo` that also apply to everything inside the directory.
    private static let inheritedSuffix = ".inherited"

    fileprivate func actionSubject(
        _ metadata: ItemMetadata, _ upload: UploadState?, inherited: [String: ProviderItem.UserInfoValue]
    ) -> PredicateValue {
        var properties: [String: PredicateValue] = [:]
        for property in ProviderItemProperty.allCases {
            let value = value(of: property, metadata, upload, inherited)
            for name in property.names { properties[name] = value }
        }
        return .object(properties)
    }

    private func value(
        of property: ProviderItemProperty, _ metadata: ItemMetadata, _ upload: UploadState?,
        _ inherited: [String: ProviderItem.UserInfoValue]
    ) -> PredicateValue {
        func number(_ value: Double?) -> PredicateValue { value.map { .number($0) } ?? .nothing }
        return switch property {
        case .itemIdentifier: .text(item.identifier)
        case .parentItemIdentifier: .text(item.parent)
        case .filename: .text(name)
        case .contentType: .object(["identifier": .text(typeIdentifier)])
        case .typeIdentifier: .text(typeIdentifier)
        case .capabilities: .number(Double(item.capabilities))
        case .fileSystemFlags: number(item.fileSystemFlags.map(Double.init))
        case .documentSize: number((hasAllBytes ? localSize : item.size).map(Double.init))
        case .childItemCount: number(item.childCount.map(Double.init))
        case .creationDate: number(item.created)
        case .contentModificationDate: number(localModified ?? item.modified)
        case .lastUsedDate: number(metadata.lastUsed)
        case .favoriteRank: number(metadata.favoriteRank.map(Double.init))
        // Predicates can test whether there are tags. The encoding of the tags is private.
        case .tagData: metadata.tags.isEmpty ? .nothing : .list(metadata.tags.map { .text($0) })
        case .symlinkTargetPath: item.linkTarget.map { .text($0) } ?? .nothing
        case .userInfo:
            .object(
                inherited.filter { $0.key.hasSuffix(Self.inheritedSuffix) }.merging(item.userInfo) { _, own in own }
                    .mapValues { $0.predicateValue })
        case .inheritedUserInfo: .object(inherited.mapValues { $0.predicateValue })
        case .resolvedUserInfo:
            .object(
                inherited.merging(item.userInfo) { _, own in own }.filter { $0.key.hasSuffix(Self.inheritedSuffix) }
                    .mapValues { $0.predicateValue })
        case .isTrashed: .flag(item.flags.contains(.trashed))
        case .isUploaded: .flag(isUploaded)
        case .isUploading: .flag(item.flags.contains(.uploading) || state(upload) == .uploading)
        case .uploadingError: (upload?.failure ?? item.uploadingError).map { .text($0.message) } ?? .nothing
        case .isDownloaded: .flag(hasAllBytes)
        case .isDownloading: .flag(item.flags.contains(.downloading))
        case .isMostRecentVersionDownloaded: .flag(hasAllBytes && localVersion == item.contentVersion)
        case .isShared: .flag(item.flags.contains(.shared))
        case .isSharedByCurrentUser: .flag(item.flags.contains(.sharedByCurrentUser))
        }
    }

    /// The item's type identifier; the most general one for its kind if the provider reports none.
    private var typeIdentifier: String {
        if !item.contentType.isEmpty { return item.contentType }
        return switch item.kind {
        case .file: "public.data"
        case .folder: "public.folder"
        case .symbolicLink: "public.symlink"
        }
    }
}

extension ProviderItem.UserInfoValue {
    fileprivate var predicateValue: PredicateValue {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        }
    }
}
