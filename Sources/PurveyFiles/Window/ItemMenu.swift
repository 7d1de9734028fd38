import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The menu of the selection, without the entries that do not apply to it. Parts that need a request appear when the
/// reply arrives.
@MainActor final class ItemMenu {
    /// The `GMenu`.
    let model: OpaquePointer
    private let items: [BrowserItem]
    private let browser: Browser
    private let actions: ItemActions
    private let sharing: OpaquePointer = g_menu_new()
    private let providing: OpaquePointer = g_menu_new()
    private(set) var extensions: [SharingExtension] = []
    private(set) var providerActions: [ActionDescription] = []

    init(_ browser: Browser, _ actions: ItemActions) {
        self.browser = browser
        self.actions = actions
        items = browser.selection
        model = g_menu_new()
        if items.isEmpty {
            add([("New Folder", .newFolder), ("Paste", .paste)])
            add([("Select All", .selectAll)])
        } else {
            fill()
        }
    }

    isolated deinit {
        for menu in [sharing, providing, model] { g_object_unref(menu.gtkAddress) }
    }

    private func fill() {
        add([("Open", .open)], Self.programs(for: items))
        add([
            ("Download", .download), ("Keep on This Computer", .keep), ("No Longer Keep", .unkeep),
            ("Free Up Space", .freeUp), ("Try Again", .retry),
        ])
        if items.count == 1, browser.conflict(of: items[0]) != nil { add([("Compare Versions…", .conflict)]) }
        add([("Cut", .cut), ("Copy", .copy), ("Duplicate", .duplicate)])
        add([
            ("Rename…", .rename), ("Tags…", .tags), ("Add to Favorites", .favorite),
            ("Remove from Favorites", .unfavorite),
        ])
        g_menu_append_section(model, nil, sharing.menuModel)
        g_menu_append_section(model, nil, providing.menuModel)
        add([("Move to Trash", .trash), ("Restore", .restore), ("Delete Forever…", .deleteForever)])
    }

    /// Requests the extensions and the provider's actions that fit the selection.
    func load() {
        guard !items.isEmpty else { return }
        Task { [weak self, browser, items] in
            let extensions = await browser.extensions(for: items)
            self?.show(extensions)
        }
        guard items.count == 1 else { return }
        Task { [weak self, browser, items] in
            let actions = await browser.actions(for: items[0])
            self?.show(actions)
        }
    }

    private func show(_ extensions: [SharingExtension]) {
        self.extensions = extensions
        guard !extensions.isEmpty else { return }
        let entries = extensions.map { ($0.name, ItemActions.Choice.share.detailed($0.identifier)) }
        Self.addSubmenu("Share With", entries, to: sharing)
    }

    private func show(_ actions: [ActionDescription]) {
        providerActions = actions
        for action in actions {
            let asks = action.interface != nil && !action.name.hasSuffix("…")
            g_menu_append(
                providing, action.name + (asks ? "…" : ""), ItemActions.Choice.perform.detailed(action.identifier))
        }
    }

    private static func programs(for items: [BrowserItem]) -> [(String, String)] {
        guard items.count == 1, !items[0].isFolder, items[0].mountedPath != nil else { return [] }
        return Programs.all(for: items[0]).map { ($0.name, ItemActions.Choice.openWith.detailed($0.identifier)) }
    }

    /// Adds a section with the entries that are enabled, and a submenu of programs.
    private func add(_ entries: [(String, ItemActions.Name)], _ programs: [(String, String)] = []) {
        let enabled = entries.filter { actions.isEnabled($0.1) }
        guard !enabled.isEmpty || !programs.isEmpty else { return }
        let section: OpaquePointer = g_menu_new()
        for (label, name) in enabled { g_menu_append(section, label, name.detailed) }
        if !programs.isEmpty { Self.addSubmenu("Open With", programs, to: section) }
        g_menu_append_section(model, nil, section.menuModel)
        g_object_unref(section.gtkAddress)
    }

    private static func addSubmenu(_ label: String, _ entries: [(String, String)], to menu: OpaquePointer) {
        let submenu: OpaquePointer = g_menu_new()
        for (name, action) in entries { g_menu_append(submenu, name, action) }
        g_menu_append_submenu(menu, label, submenu.menuModel)
        g_object_unref(submenu.gtkAddress)
    }
}
