import FileProvider
import Foundation
import MobileCoreServices
import Testing
import UniformTypeIdentifiers

@Suite struct ItemTests {
    @Test func membersThatAreLeftOutAreAbsent() {
        let item: any NSFileProviderItem = BareItem("a")
        #expect(item.contentType == nil)
        #expect(item.typeIdentifier == nil)
        #expect(item.typeAndCreator == nil)
        #expect(item.capabilities == nil)
        #expect(item.fileSystemFlags == nil)
        #expect(item.documentSize == nil)
        #expect(item.childItemCount == nil)
        #expect(item.creationDate == nil)
        #expect(item.contentModificationDate == nil)
        #expect(item.extendedAttributes == nil)
        #expect(item.lastUsedDate == nil)
        #expect(item.tagData == nil)
        #expect(item.favoriteRank == nil)
        #expect(item.isTrashed == nil)
        #expect(item.isUploaded == nil)
        #expect(item.isUploading == nil)
        #expect(item.uploadingError == nil)
        #expect(item.isDownloaded == nil)
        #expect(item.isDownloading == nil)
        #expect(item.downloadingError == nil)
        #expect(item.isMostRecentVersionDownloaded == nil)
        #expect(item.isShared == nil)
        #expect(item.isSharedByCurrentUser == nil)
        #expect(item.ownerNameComponents == nil)
        #expect(item.mostRecentEditorNameComponents == nil)
        #expect(item.versionIdentifier == nil)
        #expect(item.itemVersion == nil)
        #expect(item.symlinkTargetPath == nil)
        #expect(item.userInfo == nil)
        #expect(item.contentPolicy == nil)
    }

    @Test func membersThatAreThereAreRead() {
        let full = FullItem()
        let item: any NSFileProviderItem = full
        #expect(item.itemIdentifier.rawValue == "full")
        #expect(item.parentItemIdentifier.rawValue == "parent")
        #expect(item.filename == "Full.txt")
        #expect(item.contentType == .plainText)
        #expect(item.typeIdentifier == "public.plain-text")
        #expect(item.typeAndCreator?.type == 1)
        #expect(item.capabilities == [.allowsReading, .allowsDeleting])
        #expect(item.fileSystemFlags == [.userReadable, .userExecutable])
        #expect(item.documentSize??.intValue == 42)
        #expect(item.childItemCount??.intValue == 3)
        #expect((item.creationDate ?? nil) == full.creationDate)
        #expect((item.contentModificationDate ?? nil) == full.contentModificationDate)
        #expect(item.extendedAttributes?["user.color"] == Data([7]))
        #expect((item.lastUsedDate ?? nil) == full.lastUsedDate)
        #expect((item.tagData ?? nil) == Data([8, 9]))
        #expect(item.favoriteRank??.uint64Value == 5)
        #expect(item.isTrashed == true)
        #expect(item.isUploaded == false)
        #expect(item.isUploading == true)
        #expect((item.uploadingError ?? nil) is NSFileProviderError)
        #expect(item.isDownloaded == true)
        #expect(item.isDownloading == true)
        #expect((item.downloadingError ?? nil) is NSFileProviderError)
        #expect(item.isMostRecentVersionDownloaded == true)
        #expect(item.isShared == true)
        #expect(item.isSharedByCurrentUser == true)
        #expect(item.ownerNameComponents??.givenName == "Ada")
        #expect((item.mostRecentEditorNameComponents ?? nil) != nil)
        #expect((item.versionIdentifier ?? nil) == Data([1]))
        #expect(item.itemVersion?.contentVersion == Data([2]))
        #expect(item.symlinkTargetPath ?? nil == "../target")
        #expect((item.userInfo ?? nil)?["key"] as? String == "value")
        #expect(item.contentPolicy == .downloadLazily)
        #expect((item as? any NSFileProviderItemDecorating)?.decorations?.first?.rawValue == "badge")
    }

    @Test func aMemberThatIsThereMayBeNil() {
        let full = FullItem()
        full.documentSize = nil
        let item: any NSFileProviderItem = full
        // The class implements the property, with the value nil.
        let size = item.documentSize
        #expect(size != nil)
        #expect((size ?? 1) == nil)
    }

    @Test func eitherNameOfTheTypeStandsForTheOther() {
        let older: any NSFileProviderItem = OlderItem()
        let newer: any NSFileProviderItem = NewerItem()
        #expect(older.contentType == .folder)
        #expect(newer.typeIdentifier == "public.png")
        let unknown: any NSFileProviderItem = OlderItem("org.example.unheard-of")
        #expect(unknown.contentType?.identifier == "org.example.unheard-of")
        let nameless: any NSFileProviderItem = OlderItem("")
        #expect(nameless.contentType == nil)
        // Reading the property reads another item's properties meanwhile.
        let wrapping: any NSFileProviderItem = WrappingItem(NewerItem())
        #expect(wrapping.contentType == .png)
    }

    @Test func aMemberMayReadOtherItems() {
        let item: any NSFileProviderItem = NewerItem()
        #expect(item.isShared == true)
        #expect(item.isTrashed == nil)
    }

    @Test func itemsOfUnknownClassesAreReadGenerically() {
        func type(of item: some NSFileProviderItemProtocol) -> UTType? {
            let type = item.contentType
            return type
        }
        #expect(type(of: NewerItem()) == .png)
        #expect(type(of: BareItem("a")) == nil)
    }

    @Test func versionsAreComparedByWhatTheySay() {
        let version = NSFileProviderItemVersion(contentVersion: Data([1]), metadataVersion: Data([2]))
        #expect(version == NSFileProviderItemVersion(contentVersion: Data([1]), metadataVersion: Data([2])))
        #expect(version.hash == NSFileProviderItemVersion(contentVersion: Data([1]), metadataVersion: Data([2])).hash)
        #expect(version != NSFileProviderItemVersion(contentVersion: Data([1]), metadataVersion: Data([3])))
        #expect(version.metadataVersion == Data([2]))
        #expect(NSFileProviderItemVersion().contentVersion.isEmpty)
        #expect(!NSFileProviderItemVersion.beforeFirstSyncComponent.isEmpty)
        #expect(NSFileProviderItemVersion.beforeFirstSyncComponent.count <= 128)
    }

    @Test func optionsHaveTheirBits() {
        let capabilities: [NSFileProviderItemCapabilities] = [
            .allowsReading, .allowsWriting, .allowsReparenting, .allowsRenaming, .allowsTrashing, .allowsDeleting,
            .allowsEvicting, .allowsExcludingFromSync,
        ]
        #expect(capabilities == (0..<8).map { NSFileProviderItemCapabilities(rawValue: 1 << $0) })
        #expect(NSFileProviderItemCapabilities.allowsAddingSubItems == .allowsWriting)
        #expect(NSFileProviderItemCapabilities.allowsContentEnumerating == .allowsReading)
        #expect(NSFileProviderItemCapabilities.allowsAll.rawValue == 0x3F)
        let fields: [NSFileProviderItemFields] = [
            .contents, .filename, .parentItemIdentifier, .lastUsedDate, .tagData, .favoriteRank, .creationDate,
            .contentModificationDate, .fileSystemFlags, .extendedAttributes, .typeAndCreator,
        ]
        #expect(fields == (0..<11).map { NSFileProviderItemFields(rawValue: 1 << $0) })
        let flags: [NSFileProviderFileSystemFlags] = [
            .userExecutable, .userReadable, .userWritable, .hidden, .pathExtensionHidden,
        ]
        #expect(flags == (0..<5).map { NSFileProviderFileSystemFlags(rawValue: 1 << $0) })
        let policies: [NSFileProviderContentPolicy] = [
            .inherited, .downloadLazily, .downloadLazilyAndEvictOnRemoteUpdate, .downloadEagerlyAndKeepDownloaded,
        ]
        #expect(policies.map { $0.rawValue } == [0, 1, 2, 3])
        var codes = NSFileProviderTypeAndCreator()
        #expect(codes.type == 0)
        codes = NSFileProviderTypeAndCreator(type: 0x5445_5854, creator: 1)
        #expect(codes.type == OSType(0x5445_5854))
        #expect(codes.creator == 1)
        #expect(NSFileProviderFavoriteRankUnranked == 0)
    }
}
