import AppExtension
import Foundation
import FoundationAdditions
import ItemProvider
import Synchronization
import Testing

@Suite struct ExtensionItemTests {
    @Test func propertiesAndUserInfoAreTheSame() {
        let item = NSExtensionItem()
        #expect(item.userInfo == nil && item.attachments == nil && item.attributedTitle == nil)
        item.attributedTitle = NSAttributedString(string: "title")
        let provider = NSItemProvider(object: "a" as NSString)
        item.attachments = [provider]
        #expect((item.userInfo?[NSExtensionItemAttributedTitleKey] as? NSAttributedString)?.string == "title")
        #expect((item.userInfo?[NSExtensionItemAttachmentsKey] as? [NSItemProvider]) == [provider])
        item.userInfo = [NSExtensionItemAttributedContentTextKey: NSAttributedString(string: "text"), "own": 1]
        #expect(item.attributedContentText?.string == "text")
        #expect(item.attributedTitle == nil && item.attachments == nil)
        item.attributedContentText = nil
        #expect(item.userInfo?.count == 1)
    }

    @Test func titlesAreCopied() {
        let title = NSMutableAttributedString(string: "one")
        let item = NSExtensionItem()
        item.attributedTitle = title
        title.mutableString.setString("two")
        #expect(item.attributedTitle?.string == "one")
    }

    @Test func anItemIsCopiedAndArchived() throws {
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "title")
        item.attributedContentText = NSAttributedString(string: "text")
        item.userInfo?["number"] = 7
        item.attachments = [NSItemProvider()]
        let copy = try #require(item.copy() as? NSExtensionItem)
        #expect(copy.attachments == item.attachments)
        copy.attributedTitle = nil
        #expect(item.attributedTitle != nil)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
        let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExtensionItem.self, from: archive))
        #expect(back.attributedTitle?.string == "title")
        #expect(back.attributedContentText?.string == "text")
        #expect(back.userInfo?["number"] as? Int == 7)
        #expect(back.attachments == nil)
    }

    @Test func aContextWithoutAHostEndsOnce() async {
        let context = NSExtensionContext()
        #expect(context.inputItems.isEmpty)
        #expect(await context.open(URL(fileURLWithPath: "/")) == false)
        let wasOpened = await withCheckedContinuation { continuation in
            context.open(URL(fileURLWithPath: "/")) { continuation.resume(returning: $0) }
        }
        #expect(!wasOpened)
        let expired = await withCheckedContinuation { continuation in
            context.completeRequest(returningItems: []) { continuation.resume(returning: $0) }
        }
        #expect(expired)
        context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
    }

    @Test func anExtensionIsDrivenByHand() async {
        final class Handler: NSObject, NSExtensionRequestHandling {
            func beginRequest(with context: NSExtensionContext) {
                let items = context.inputItems as? [NSExtensionItem]
                context.completeRequest(returningItems: items)
            }
        }
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "by hand")
        let title = await withCheckedContinuation { continuation in
            let host = NSExtensionContext.Host(
                complete: { returned, done in
                    continuation.resume(returning: returned.value.first?.attributedTitle?.string)
                    done(false)
                }, cancel: { _ in }, open: { _, done in done(true) })
            Handler().beginRequest(with: NSExtensionContext(inputItems: [item], host: host))
        }
        #expect(title == "by hand")
    }

    @Test func keysAndNotificationsHaveTheirNames() {
        #expect(NSExtensionItemAttributedTitleKey == "NSExtensionItemAttributedTitleKey")
        #expect(NSExtensionItemAttributedContentTextKey == "NSExtensionItemAttributedContentTextKey")
        #expect(NSExtensionItemAttachmentsKey == "NSExtensionItemAttachmentsKey")
        #expect(NSExtensionItemsAndErrorsKey == "NSExtensionItemsAndErrorsKey")
        let names: [NSNotification.Name] = [
            .NSExtensionHostWillEnterForeground, .NSExtensionHostDidEnterBackground, .NSExtensionHostWillResignActive,
            .NSExtensionHostDidBecomeActive,
        ]
        #expect(Set(names).count == 4)
    }
}
