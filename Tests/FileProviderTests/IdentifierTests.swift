import FileProvider
import Foundation
import Testing

@Suite struct IdentifierTests {
    @Test func theSystemsItemsHaveTheirNames() {
        #expect(NSFileProviderItemIdentifier.rootContainer.rawValue == "NSFileProviderRootContainerItemIdentifier")
        #expect(NSFileProviderItemIdentifier.workingSet.rawValue == "NSFileProviderWorkingSetContainerItemIdentifier")
        #expect(NSFileProviderItemIdentifier.trashContainer.rawValue == "NSFileProviderTrashContainerItemIdentifier")
    }

    @Test func identifiersAreTheirTexts() {
        let item: NSFileProviderItemIdentifier = NSFileProviderItemIdentifier("a")
        #expect(item == NSFileProviderItemIdentifier(rawValue: "a"))
        #expect(Set([item, .rootContainer]).contains(NSFileProviderItemIdentifier("a")))
        let domain: NSFileProviderDomainIdentifier = NSFileProviderDomainIdentifier("a")
        #expect(domain == NSFileProviderDomainIdentifier(rawValue: "a"))
        let action: NSFileProviderExtensionActionIdentifier = NSFileProviderExtensionActionIdentifier("a")
        #expect(action == NSFileProviderExtensionActionIdentifier(rawValue: "a"))
        let decoration: NSFileProviderItemDecorationIdentifier = NSFileProviderItemDecorationIdentifier("a")
        #expect(decoration == NSFileProviderItemDecorationIdentifier(rawValue: "a"))
        let service: NSFileProviderServiceName = NSFileProviderServiceName("a")
        #expect(service == NSFileProviderServiceName(rawValue: "a"))
    }

    /// Providers whose identifiers are paths use them as keys, compare them, and collect them in sets.
    @Test func anItemsIdentifierInAnotherNormalFormIsAnother() {
        let (one, other) = (NSFileProviderItemIdentifier("r\u{E9}"), NSFileProviderItemIdentifier("re\u{301}"))
        #expect(one != other)
        #expect(!(one == other))
        #expect(one == NSFileProviderItemIdentifier(rawValue: "r\u{E9}"))
        #expect(!(one != NSFileProviderItemIdentifier(rawValue: "r\u{E9}")))
        #expect(Set([one, other]).count == 2)
        #expect([one: 1, other: 2][other] == 2)
        #expect([one].firstIndex(of: other) == nil)
        #expect(![one, nil].contains(other))
    }

    @Test func anInitialPageIsDataAndPage() {
        let page: NSFileProviderPage = NSFileProviderPage.initialPageSortedByName as NSFileProviderPage
        #expect(page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data))
        #expect(page.rawValue == NSFileProviderPage.initialPageSortedByName as Data)
        #expect(page as NSData == NSFileProviderPage.initialPageSortedByName)
        #expect(page != NSFileProviderPage.initialPageSortedByDate as NSFileProviderPage)
        #expect((NSFileProviderPage.initialPageSortedByDate as Any) is NSFileProviderPage)
        #expect(page.rawValue.count <= NSFileProviderPage.limit)
    }

    @Test func pagesAndAnchorsAreTheirBytes() {
        let page: NSFileProviderPage = NSFileProviderPage(Data([1, 2]))
        #expect(page == NSFileProviderPage(rawValue: Data([1, 2])))
        #expect(NSFileProviderPage(Data()).rawValue.isEmpty)
        let anchor: NSFileProviderSyncAnchor = NSFileProviderSyncAnchor(Data([1]))
        #expect(anchor == NSFileProviderSyncAnchor(rawValue: Data([1])))
        #expect(Set([anchor]).contains(NSFileProviderSyncAnchor(Data([1]))))
    }
}
