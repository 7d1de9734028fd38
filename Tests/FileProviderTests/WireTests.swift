import FileProvider
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// Conversion of a provider's items and errors for their way to the engine.
@Suite struct WireTests {
    @Test func everythingThatAnItemSaysTravels() {
        let item = ProviderItem(FullItem())
        #expect(item.identifier == "full")
        #expect(item.parent == "parent")
        #expect(item.filename == "Full.txt")
        #expect(item.kind == .file)
        #expect(item.contentType == "public.plain-text")
        #expect(item.capabilities == 0x21)
        #expect(item.size == 42)
        #expect(item.childCount == 3)
        #expect(item.created == 100)
        #expect(item.modified == 200.5)
        #expect(item.lastUsed == 300)
        #expect(item.contentVersion == [2])
        #expect(item.metadataVersion == [3])
        #expect(item.favoriteRank == 5)
        #expect(item.tagData == [8, 9])
        #expect(item.fileSystemFlags == 3)
        #expect(item.extendedAttributes == ["user.color": [7]])
        #expect(item.linkTarget == "../target")
        #expect(
            item.flags == [
                .trashed, .uploading, .downloaded, .downloading, .mostRecentVersionDownloaded, .shared,
                .sharedByCurrentUser,
            ])
        #expect(item.uploadingError?.kind == .insufficientQuota)
    }

    @Test func unsetPropertiesOfAnItemAreLeftOut() {
        let item = ProviderItem(BareItem("a"))
        var expected = ProviderItem(
            identifier: "a", parent: ProviderItem.rootIdentifier, filename: "name", kind: .file)
        expected.flags = [.uploaded, .lacksVersion]
        #expect(item == expected)
    }

    @Test func kindsComeFromTypes() {
        func kind(_ type: UTType) -> ProviderItem.Kind {
            let item = FullItem()
            item.contentType = type
            return ProviderItem(item).kind
        }
        #expect(kind(.folder) == .folder)
        #expect(kind(.directory) == .folder)
        #expect(kind(.package) == .folder)
        #expect(kind(.symbolicLink) == .symbolicLink)
        #expect(kind(.data) == .file)
        #expect(kind(.png) == .file)
        #expect(ProviderItem(OlderItem()).kind == .folder)
        #expect(ProviderItem(OlderItem()).contentVersion == Array("v".utf8))
        #expect(ProviderItem(BareItem(ProviderItem.rootIdentifier)).kind == .folder)
    }

    @Test(
        arguments: [
            (NSNumber(value: -1), nil), (NSNumber(value: Double.nan), nil), (NSNumber(value: Double.infinity), nil),
            (NSNumber(value: UInt64.max), nil), (NSNumber(value: 1e300), nil), (NSNumber(value: -0.5), nil),
            (NSNumber(value: 3.7), 3), (NSNumber(value: Int64.max), Int64.max), (NSNumber(value: 0), 0),
            (NSNumber(value: Int64.min), nil), (NSNumber(value: UInt64(1) << 63), nil),
            (NSNumber(value: Int64(1) << 53), 1 << 53), (NSNumber(value: Int64(1) << 53 + 1), 1 << 53 + 1),
            (NSNumber(value: true), 1),
        ] as [(NSNumber, Int64?)])
    func sizesThatAreNoneAreLeftOut(number: NSNumber, size: Int64?) {
        let item = FullItem()
        item.documentSize = number
        item.childItemCount = number
        #expect(ProviderItem(item).size == size)
        #expect(ProviderItem(item).childCount == size.map { Int($0) })
    }

    @Test(
        arguments: [
            (Double.nan, nil), (.infinity, nil), (-.infinity, nil), (1e300, nil), (-1e13, nil),
            // The years 1601 and 9999.
            (-11_644_473_600, -11_644_473_600), (253_402_300_799, 253_402_300_799), (0, 0),
        ] as [(Double, Double?)])
    func datesThatAreNoneAreLeftOut(seconds: Double, expected: Double?) {
        let item = FullItem()
        item.creationDate = Date(timeIntervalSince1970: seconds)
        item.contentModificationDate = item.creationDate
        item.lastUsedDate = item.creationDate
        let sent = ProviderItem(item)
        #expect(sent.created == expected)
        #expect(sent.modified == expected)
        #expect(sent.lastUsed == expected)
    }

    @Test func versionsThatAreTooLongStillDiffer() {
        func version(_ data: Data) -> [UInt8] {
            let item = FullItem()
            item.itemVersion = NSFileProviderItemVersion(contentVersion: data, metadataVersion: Data())
            return ProviderItem(item).contentVersion
        }
        let long = Data(repeating: 1, count: 1_000_000)
        #expect(version(long).count == 1000)
        #expect(version(long) == version(long))
        #expect(version(long) != version(long + [2]))
        #expect(version(Data(repeating: 1, count: 1000)) == Array(repeating: 1, count: 1000))
    }

    @Test func sizeAndDateAreTheVersionOfAFileThatHasNone() {
        func version(_ size: Int?, _ seconds: Double?) -> [UInt8] {
            let item = FullItem()
            item.itemVersion = NSFileProviderItemVersion(contentVersion: Data(), metadataVersion: Data())
            item.documentSize = size.map { NSNumber(value: $0) }
            item.contentModificationDate = seconds.map { Date(timeIntervalSince1970: $0) }
            let sent = ProviderItem(item)
            #expect(sent.flags.contains(.lacksVersion))
            return sent.contentVersion
        }
        #expect(version(1, 2) == version(1, 2))
        #expect(Set([version(1, 2), version(2, 2), version(1, 2.5), version(nil, 2), version(1, nil)]).count == 5)
        #expect(version(nil, nil).isEmpty)
        #expect(!ProviderItem(FullItem()).flags.contains(.lacksVersion))
    }

    @Test func namesTravelAsTheyAre() {
        let notUTF8 = String(decoding: [0x61, 0xFF, 0xFE] as [UInt8], as: UTF8.self)
        let longest = String(repeating: "n", count: ProviderItem.longestText)
        for name in ["", "/", "..", "a/b", "a\0b", notUTF8, longest, "e\u{301}"] {
            #expect(ProviderItem(BareItem("a", name: name)).filename.utf8.elementsEqual(name.utf8))
        }
        // Longer names are truncated, as no file could have them.
        #expect(ProviderItem(BareItem("a", name: longest + "n")).filename == longest)
    }

    @Test func anItemComesBack() {
        let sent = ProviderItem(FullItem())
        var back = ProviderItem(ProviderItemObject(sent))
        back.uploadingError = sent.uploadingError
        #expect(back == sent)
        var bare = ProviderItem(identifier: "a", parent: "b", filename: "c", kind: .folder)
        bare.contentType = "public.folder"
        #expect(ProviderItem(ProviderItemObject(bare)) == bare)
        let link: any NSFileProviderItem = ProviderItemObject(
            ProviderItem(identifier: "a", parent: "b", filename: "c", kind: .symbolicLink))
        #expect(link.contentType == .symbolicLink)
    }

    @Test(
        arguments: [
            (NSFileProviderError(.notAuthenticated), .notAuthenticated),
            (NSFileProviderError(.serverUnreachable), .serverUnreachable),
            (NSFileProviderError(.insufficientQuota), .insufficientQuota),
            (NSFileProviderError(.noSuchItem), .noSuchItem),
            (NSFileProviderError(.syncAnchorExpired), .expired),
            (NSFileProviderError(.pageExpired), .expired),
            (NSFileProviderError(.filenameCollision), .filenameCollision),
            (NSFileProviderError(.deletionRejected), .deletionRejected),
            (NSFileProviderError(.directoryNotEmpty), .directoryNotEmpty),
            (NSFileProviderError(.cannotSynchronize), .cannotSynchronize),
            (CocoaError(.featureUnsupported), .unsupported),
            (CocoaError(.userCancelled), .cancelled),
            (CancellationError(), .cancelled),
            (CocoaError(.fileWriteOutOfSpace), .noSpace),
            (CocoaError(.fileNoSuchFile), .noSuchItem),
            (CocoaError(.fileWriteFileExists), .filenameCollision),
            (Errno.noSpace, .noSpace),
            (URLError(.notConnectedToInternet), .serverUnreachable),
            (URLError(.userAuthenticationRequired), .notAuthenticated),
            (NSError(domain: NSFileProviderErrorDomain, code: -1005), .noSuchItem),
            (NSError(domain: NSFileProviderErrorDomain, code: 12345), .transient),
            (NSError(domain: "org.example", code: .min), .transient),
        ] as [(any Error, ProviderError.Kind)])
    func errorsMeanSomething(error: any Error, kind: ProviderError.Kind) {
        let failure = ProviderError(error)
        #expect(failure.kind == kind)
        #expect(!failure.message.isEmpty)
        // Converted to a program's error and back, the kind is the same.
        #expect(ProviderError(failure.error).kind == kind)
    }

    @Test func theErrorBelowAForeignOneCounts() {
        let foreign = NSError(
            domain: NSCocoaErrorDomain, code: 4101,
            userInfo: [NSUnderlyingErrorKey: NSFileProviderError(.noSuchItem)._nsError])
        #expect(ProviderError(foreign).kind == .noSuchItem)
        var deep = NSError(domain: NSFileProviderErrorDomain, code: -1005)
        for _ in 0..<100 { deep = NSError(domain: "d", code: 1, userInfo: [NSUnderlyingErrorKey: deep]) }
        #expect(ProviderError(deep).kind == .transient)
    }

    @Test func errorsOfProgramsSayWhatTheySay() {
        struct Trouble: Error { let number = 7 }
        #expect(ProviderError(Trouble()).message.contains("7"))
        let long = NSError(
            domain: String(repeating: "d", count: 100_000), code: 1,
            userInfo: [NSLocalizedDescriptionKey: String(repeating: "m", count: 100_000)])
        #expect(ProviderError(long).message.count == 1000)
        #expect(ProviderError(long).domain.count == 1000)
    }

    @Test func aCollisionNamesTheItem() {
        let error = NSError.fileProviderErrorForCollision(with: BareItem("the one"))
        let failure = ProviderError(error)
        #expect(failure.kind == .filenameCollision)
        #expect(failure.collidingItem == "the one")
        #expect(ProviderError(failure.error).collidingItem == "the one")
        #expect(ProviderError(NSFileProviderError(.noSuchItem)).collidingItem == nil)
    }

    @Test func everyFailureIsAnError() {
        for raw in UInt8.min...UInt8.max {
            guard let kind = ProviderError.Kind(rawValue: raw) else { continue }
            let error = ProviderError(kind, message: "m").error
            let domain = (error as NSError).domain
            #expect(domain == NSFileProviderErrorDomain || domain == NSCocoaErrorDomain)
            #expect(error.localizedDescription == "m")
        }
    }
}
