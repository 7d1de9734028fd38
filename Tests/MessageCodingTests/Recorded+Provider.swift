import DomainMessages
import FileProvider
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem

/// Values in messages of providers and their domains.
extension Recorded {
    static let failure = ProviderError(
        .filenameCollision, message: "m", domain: "d", code: -1001, collidingItem: "c", suggestion: "s")
    static let moment = FileMoment(FileStatus(stat()))
    static var item: ProviderItem {
        var item = ProviderItem(identifier: "i", parent: "p", filename: "n", kind: .file)
        item.size = 5
        item.modified = 1e12
        item.contentVersion = [0, 255]
        item.extendedAttributes = ["a": [1], "b": []]
        item.uploadingError = failure
        item.userInfo = ["k": .text("t"), "l": .number(1.5)]
        return item
    }
    static let place = ItemPlace(text: "t", path: "/p")
    static let setting = DomainSetting(key: "k", value: "v")
    static let domain = DomainDescription(
        name: "n", identifier: "i", provider: "p", settings: [setting], cacheLimit: 4007, state: .failed, mount: "/m",
        fault: "f")
    static let fault = ItemFault(kind: .authentication, message: "m", suggestion: "s")
    static let described = ItemDescription(
        name: "n", identifier: "i", kind: .folder, contentType: "t", size: 4007, modified: 5.5, state: .edited,
        isPinned: true, fault: fault, target: "g")
    static let found = FoundItemDescription(
        domain: "d", path: "p", mountedPath: nil, item: described, lastUsed: 4.5, favoriteRank: 6, tags: ["t"])
    static let standing = ItemStanding(path: "/p", domain: "d", item: described)
    static let result = ProviderSearchResult(identifier: "i", filename: "n", contentType: "t")
    static let managed = ManagedDomain(
        identifier: "i", displayName: "n", storage: "s", isReplicated: true, isHidden: true, isSearchable: true,
        userInfo: [6])
    static let activity = DomainActivity(
        domain: domain, uploadsWaiting: 1, uploadsInFlight: 2, downloadsWaiting: 3, downloadsInFlight: 4, faults: ["f"])
    static let begin = BeginProviderCall(
        version: 1, domain: "d", displayName: "n", storage: "s", domainFolder: "f", temporary: "t", path: "p",
        answerTime: 7.5, transferTime: 8.5, bundleIdentifier: "b", userInfo: [10], state: "l")
    /// An item with all values.
    static var fullItem: ProviderItem {
        var item = item
        item.contentType = "u"
        item.capabilities = 300
        item.childCount = 3
        item.created = 1.5
        item.lastUsed = 2.5
        item.metadataVersion = [7]
        item.favoriteRank = 300
        item.tagData = [8]
        item.flags = [.shared, .uploading]
        item.fileSystemFlags = 9
        item.linkTarget = "l"
        return item
    }
    static var fullDescribed: ItemDescription {
        var item = described
        item.isUploaded = false
        item.isUploading = true
        item.sent = 300
        item.total = 4007
        item.isPinnedByFolder = true
        return item
    }
    static var fullActivity: DomainActivity {
        var activity = activity
        activity.needsSignIn = true
        activity.transfers = [TransferActivity(name: "n", isUpload: true, done: 1, total: 2)]
        activity.cacheBytes = 300
        activity.keptMissing = 5
        activity.marksWaiting = 6
        activity.marksInFlight = 7
        activity.marksPaused = 8
        activity.notes = ["n"]
        activity.providerNotes = ["p"]
        activity.disconnection = "d"
        return activity
    }
    static var activityWithQuota: DomainActivity {
        var activity = activity
        activity.quota = DomainQuota(used: 1, available: 2)
        return activity
    }
    static var attributes: ItemAttributes {
        var attributes = ItemAttributes()
        attributes.modified = 1.5
        attributes.permissions = 6
        attributes.changed = ["user.b": [1], "user.a": []]
        attributes.removed = ["user.d", "user.c"]
        return attributes
    }
}
