import BrowserTesting
import DocumentPicker
import DomainMessages
import FileBrowser
import FileProvider
import ItemValues
import Testing

/// Tests of the rules for picking, tags and conflicts, with a real daemon where items are needed.
@Suite(.serialized) struct PickingTests {
    @Test func aNameOfAConflictedCopyLeadsToTheFile() {
        #expect(
            ConflictPair.originalName(of: "Plan (conflicted copy 2026-11-22).txt") == "Plan.txt")
        #expect(ConflictPair.originalName(of: "Plan (conflicted copy 2026-11-22 2)") == "Plan")
        let made = ConflictName.conflictedCopy(of: "a.tar.gz", at: 1_764_000_000, number: 3)
        #expect(ConflictPair.originalName(of: made) == "a.tar.gz")
        for other in [
            "Plan.txt", "Plan (conflicted copy ).txt", "Plan (conflicted copy of mine).txt", "(conflicted copy",
        ] {
            #expect(ConflictPair.originalName(of: other) == nil, "\(other)")
        }
    }

    @Test func tagsAreSeparatedByCommas() {
        #expect(Browser.tags(in: " Red,, Very Urgent ,Red") == ["Red", "Very Urgent"])
        #expect(Browser.tags(in: " , ").isEmpty)
        #expect(Browser.fault(ofTags: "Red, Blue") == nil)
        #expect(Browser.fault(ofTags: String(repeating: "a", count: 300)) != nil)
        #expect(Browser.fault(ofTags: (0...100).map { "\($0)" }.joined(separator: ",")) != nil)
    }

    private func item(_ name: String, _ kind: ProviderItem.Kind = .file, type: String = "") -> BrowserItem {
        BrowserItem(
            domain: "Cloud", folder: "", mount: "/mounts/Cloud",
            description: ItemDescription(
                name: name, identifier: name, kind: kind, contentType: type, size: nil,
                modified: nil, state: .dataless, isPinned: false, fault: nil, target: nil))
    }

    @Test func filesArePickedByTypeAndFoldersByPurpose() {
        var files = PickerRequest(.files)
        files.types = ["public.image"]
        #expect(files.accepts(item("a.png")))
        #expect(files.accepts(item("picture", type: "public.jpeg")))
        #expect(!files.accepts(item("a.txt")))
        #expect(!files.accepts(item("a.png", .folder)))
        #expect(PickerRequest(.folders).accepts(item("Photos", .folder)))
        #expect(!PickerRequest(.folders).accepts(item("a.png")))
        #expect(PickerRequest(.filesAndFolders).accepts(item("Photos", .folder)))
        var unmounted = item("a.png")
        unmounted.mount = nil
        #expect(!files.accepts(unmounted))
    }

    @Test @MainActor func onlyOneItemIsPickedUnlessSeveralArePermitted() {
        let browser = Browser(daemon: UserDaemon())
        browser.selection = [item("a.txt"), item("b.txt")]
        #expect(browser.pick(for: PickerRequest(.files), name: "") == nil)
        var several = PickerRequest(.files)
        several.allowsMultiple = true
        #expect(browser.pick(for: several, name: "") == .items(["/mounts/Cloud/a.txt", "/mounts/Cloud/b.txt"]))
        browser.selection = []
        #expect(browser.pick(for: several, name: "") == nil)
        // Recent files are no place for a new one.
        #expect(browser.pick(for: PickerRequest(.save(name: "a")), name: "a") == nil)
    }
}
