import AppExtension
import FileProvider

/// Items as the rules of a provider's actions see them: from what is known here, so that no provider is asked.
extension Index {
    /// What a rule is told of an item; `nil` where it is not known any more. Blocks on the file system.
    ///
    /// - Parameter upload: how far the item's edit is; `nil` where nothing is known of one.
    package func actionSubject(of number: ItemNumber, _ upload: UploadState?) throws(IndexFailure) -> PredicateValue? {
        guard let item = try item(number) else { return nil }
        return item.actionSubject(try facts(of: number), upload, inherited: try inheritedUserInfo(of: item))
    }

    /// What a rule is told of the domain: nothing where the provider says nothing of it.
    package func actionDomain() throws(IndexFailure) -> PredicateValue {
        guard let state = try domainState() else { return .nothing }
        return .object(state.userInfo.mapValues { $0.predicateValue })
    }

    /// What the folders around an item say of it, the nearest first.
    private func inheritedUserInfo(
        of item: IndexedItem
    ) throws(IndexFailure) -> [String: ProviderItem.UserInfoValue] {
        var values: [String: ProviderItem.UserInfoValue] = [:]
        var (number, folder) = (item.number, item.parent)
        // No path is longer.
        for _ in 0..<4096 {
            guard number != .root, let parent = try self.item(folder) else { break }
            for (key, value) in parent.item.userInfo { values[key] = values[key] ?? value }
            (number, folder) = (parent.number, parent.parent)
        }
        return values
    }
}

extension IndexedItem {
    /// The ending of the keys in a folder's `userInfo` that hold for everything in the folder.
    private static let inheritedSuffix = ".inherited"

    fileprivate func actionSubject(
        _ facts: ItemFacts, _ upload: UploadState?, inherited: [String: ProviderItem.UserInfoValue]
    ) -> PredicateValue {
        var properties: [String: PredicateValue] = [:]
        for property in ProviderItemProperty.allCases {
            let value = value(of: property, facts, upload, inherited)
            for name in property.names { properties[name] = value }
        }
        return .object(properties)
    }

    private func value(
        of property: ProviderItemProperty, _ facts: ItemFacts, _ upload: UploadState?,
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
        case .lastUsedDate: number(facts.lastUsed)
        case .favoriteRank: number(facts.favoriteRank.map(Double.init))
        // What it is made of is nobody's business: whether there are tags can be asked.
        case .tagData: facts.tags.isEmpty ? .nothing : .list(facts.tags.map { .text($0) })
        case .symlinkTargetPath: item.linkTarget.map { .text($0) } ?? .nothing
        case .userInfo:
            .object(
                inherited.filter { $0.key.hasSuffix(Self.inheritedSuffix) }.merging(item.userInfo) { _, own in own }
                    .mapValues { $0.predicateValue })
        case .inheritedUserInfo: .object(inherited.mapValues { $0.predicateValue })
        case .isTrashed: .flag(item.flags.contains(.trashed))
        case .isUploaded: .flag(isUploaded)
        case .isUploading: .flag(item.flags.contains(.uploading) || state(upload) == .uploading)
        case .uploadingError: (upload?.failure ?? item.uploadingError).map { .text($0.message) } ?? .nothing
        case .isDownloaded: .flag(hasAllBytes)
        case .isDownloading: .flag(item.flags.contains(.downloading))
        case .isMostRecentVersionDownloaded: .flag(hasAllBytes && localVersion == item.contentVersion)
        case .isShared: .flag(item.flags.contains(.shared))
        }
    }

    /// The identifier of its type; what a provider says nothing of has the most general one.
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
