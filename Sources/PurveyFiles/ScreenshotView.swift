import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK
import FileProviderWire

/// A state of the window that ``Screenshots`` captures.
@MainActor struct ScreenshotView {
    /// The name of the picture, without the color scheme.
    let name: String
    let location: Location
    var width: CInt = 1_000
    var isGrid = false
    var isRightToLeft = false
    /// Whether the information about the selected item is shown.
    var showsInformation = false
    /// The selected item.
    var selection = Selection.none
    /// The failure that is reported in the window.
    var failure: BrowserError?
    /// The steps to perform after the location is shown.
    var prepare: @MainActor (BrowserWindow) -> Void = { _ in }

    enum Selection {
        case none, last
        /// The first item with a conflicted copy, or the last item if there is none.
        case conflict
    }

    private static let narrow: CInt = 380

    /// Returns all views of a domain.
    static func all(of domain: String) -> [ScreenshotView] {
        let root = Location.folder(domain: domain, path: "")
        return wide(root, domain) + narrow(root) + rightToLeft(root)
    }

    private static func wide(_ root: Location, _ domain: String) -> [ScreenshotView] {
        let failure = BrowserError("“Plan.txt” was not copied: the disk is full", remedy: .retry(domain: domain))
        return [
            .init(name: "list", location: root),
            .init(name: "info", location: root, showsInformation: true, selection: .last),
            .init(name: "grid", location: root, isGrid: true),
            .init(name: "naming", location: root) { window in
                let file = window.browser.listing.all.first { !$0.isFolder }
                if let file { window.items.beginNaming(file.id) }
            },
            .init(name: "recents", location: .recents),
            .init(name: "favorites", location: .favorites),
            .init(name: "trash", location: .trash),
            .init(name: "transfers", location: .transfers),
            .init(name: "search", location: root) { window in
                window.setSearching(true)
                gtk_editable_set_text(window.searchEntry.opaque, "p")
            },
            .init(name: "failure", location: root, failure: failure),
            .init(name: "tags", location: root, selection: .conflict) { window in
                TagDialog.show(for: window.browser.selection, window.browser, over: window.window)
            },
            .init(name: "conflict", location: root, selection: .conflict, prepare: showConflict),
            .init(name: "versions", location: root, showsInformation: true, selection: .conflict),
            .init(name: "reply", location: root) { window in
                ReplyDialog.show(
                    "Show Versions: “Plan.txt”",
                    .init(
                        lines: ["2026-11-28T09:12:00Z  1,204 bytes  Ann", "2026-11-21T17:40:00Z  980 bytes  Ben"],
                        link: "https://cloud.example/s/plan"), over: window.window)
            },
            .init(name: "keys", location: root) { Shortcuts.show(over: $0.window) },
        ]
    }

    private static func narrow(_ root: Location) -> [ScreenshotView] {
        [
            .init(name: "narrow", location: root, width: narrow),
            .init(name: "narrow-places", location: root, width: narrow) { $0.layout.showSidebar() },
            .init(name: "narrow-info", location: root, width: narrow, showsInformation: true, selection: .last),
            .init(name: "narrow-transfers", location: .transfers, width: narrow),
            .init(name: "narrow-conflict", location: root, width: narrow, selection: .conflict, prepare: showConflict),
        ]
    }

    private static func rightToLeft(_ root: Location) -> [ScreenshotView] {
        [
            .init(name: "right-to-left", location: root, isRightToLeft: true),
            .init(
                name: "right-to-left-info", location: root, isRightToLeft: true, showsInformation: true,
                selection: .last),
            .init(name: "right-to-left-transfers", location: .transfers, isRightToLeft: true),
            .init(
                name: "right-to-left-conflict", location: root, isRightToLeft: true, selection: .conflict,
                prepare: showConflict),
            .init(name: "right-to-left-narrow", location: root, width: narrow, isRightToLeft: true),
        ]
    }

    /// Returns the row of the selected item; `nil` for none.
    func selectedRow(of browser: Browser) -> Int? {
        let listing = browser.listing
        switch selection {
        case .none: return nil
        case .last: return listing.count > 0 ? listing.count - 1 : nil
        case .conflict:
            let row = listing.all.firstIndex { browser.conflict(of: $0)?.original.id == $0.id }
            return row ?? (listing.count > 0 ? listing.count - 1 : nil)
        }
    }

    // MARK: Steps

    private static func showConflict(_ window: BrowserWindow) {
        let browser = window.browser
        guard let item = browser.selection.first ?? browser.listing.all.last else { return }
        ConflictDialog.show(
            browser.conflict(of: item) ?? ConflictPair(original: item, copy: item), browser, over: window.window,
            picture: { window.items.picture(of: $0) }, open: { _ in })
    }
}
