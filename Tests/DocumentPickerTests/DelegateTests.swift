import DocumentPicker
import Foundation
import Testing

/// Tests of delegates that implement only some methods, or superseded methods.
@Suite @MainActor struct DelegateTests {
    private final class Former: NSObject, UIDocumentBrowserViewControllerDelegate, UIDocumentPickerDelegate {
        var opened: [URL] = []

        func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentURLs documentURLs: [URL]) {
            opened += documentURLs
        }

        func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentAt url: URL) {
            opened.append(url)
        }
    }

    private final class Indifferent: NSObject, NSOpenSavePanelDelegate {}

    private let urls = [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")]

    @Test func aDelegateWithTheFormerMethodGetsTheDocuments() {
        let former = Former()
        let browser: any UIDocumentBrowserViewControllerDelegate = former
        browser.documentBrowser(UIDocumentBrowserViewController(forOpening: nil), didPickDocumentsAt: urls)
        #expect(former.opened == urls)
        let picker: any UIDocumentPickerDelegate = former
        picker.documentPicker(UIDocumentPickerViewController(documentTypes: [], in: .open), didPickDocumentsAt: urls)
        #expect(former.opened == urls + urls)
    }

    @Test func aDelegateWithoutMethodsAcceptsEverything() throws {
        let delegate: any NSOpenSavePanelDelegate = Indifferent()
        let panel = NSOpenPanel()
        #expect(delegate.panel(panel, shouldEnable: urls[0]))
        try delegate.panel(panel, validate: urls[0])
        #expect(delegate.panel(panel, userEnteredFilename: "name", confirmed: true) == "name")
    }
}
