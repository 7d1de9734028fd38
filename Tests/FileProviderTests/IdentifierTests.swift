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
