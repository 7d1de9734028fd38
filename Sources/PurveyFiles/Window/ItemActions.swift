import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The actions of a window. Menus, buttons and shortcuts refer to them by their names with the prefix `win.`.
@MainActor final class ItemActions {
    /// The actions without a parameter, on the selection, the current location, or the window.
    enum Name: String, CaseIterable {
        case open, rename, trash, copy, cut, paste, duplicate, keep, unkeep, download, restore, favorite, unfavorite
        case undo, transfers, back, forward, up, reload, search, grid, info, menu, shortcuts, close
        case freeUp = "free-up"
        case deleteForever = "delete-forever"
        case retry, tags, conflict
        case newFolder = "new-folder"
        case selectAll = "select-all"
        case switchPane = "switch-pane"

        /// The action's name as menus and buttons refer to it.
        var detailed: String { "win." + rawValue }
    }

    /// The actions with a parameter: the identifier of the program, extension or provider's action that was chosen in a
    /// menu.
    enum Choice: String {
        case openWith = "open-with"
        case share
        case perform

        /// The action's name and parameter as a menu refers to them.
        func detailed(_ identifier: String) -> String { "win.\(rawValue)::\(identifier)" }
    }

    private let group: OpaquePointer
    private var actions: [Name: OpaquePointer] = [:]

    /// - Parameter map: the `GActionMap` to which the actions are added.
    init(in map: OpaquePointer) { group = map }

    func add(_ name: Name, _ action: @escaping @MainActor () -> Void) {
        let object: OpaquePointer = g_simple_action_new(name.rawValue, nil)
        Signals.pointer("activate", of: object) { _ in action() }
        g_action_map_add_action(group, object)
        actions[name] = object
        g_object_unref(object.gtkAddress)
    }

    func add(_ choice: Choice, _ action: @escaping @MainActor (String) -> Void) {
        let type = g_variant_type_new("s")
        let object: OpaquePointer = g_simple_action_new(choice.rawValue, type)
        g_variant_type_free(type)
        Signals.pointer("activate", of: object) { value in
            guard let value, let text = g_variant_get_string(OpaquePointer(value), nil) else { return }
            action(String(cString: text))
        }
        g_action_map_add_action(group, object)
        g_object_unref(object.gtkAddress)
    }

    private func enable(_ name: Name, _ isEnabled: Bool) {
        if let action = actions[name] { g_simple_action_set_enabled(action, isEnabled ? 1 : 0) }
    }

    /// Enables the actions that apply to the current location and selection.
    func refresh(_ browser: Browser) {
        let items = browser.selection
        let isTrash = browser.location == .trash
        let here = items.filter { !$0.isTrashed && !$0.isRemote }
        let canChange = !here.isEmpty && here.count == items.count
        let hasMount = canChange && here.allSatisfy { $0.mountedPath != nil }
        enable(.open, items.count == 1 && canChange)
        enable(.rename, items.count == 1 && hasMount)
        enable(.trash, canChange)
        enable(.copy, hasMount)
        enable(.cut, hasMount)
        enable(.duplicate, hasMount && browser.canAdd)
        enable(.paste, browser.clipboard != nil && browser.canAdd)
        enable(.keep, canChange && here.contains { !$0.description.isPinned })
        enable(.unkeep, canChange && here.contains { $0.description.isPinned && !$0.description.isPinnedByFolder })
        enable(.download, canChange && here.contains { $0.isFolder || $0.condition.isFetchable })
        enable(.freeUp, canChange && here.contains { $0.isFolder || $0.condition.isEvictable })
        enable(.retry, canChange && here.contains { $0.condition.remedy != nil || $0.condition.isWaiting })
        enable(.tags, canChange)
        enable(.conflict, items.count == 1 && hasMount && !here[0].isFolder)
        enable(.favorite, canChange && browser.location != .favorites)
        enable(.unfavorite, canChange && browser.location == .favorites)
        enable(.restore, isTrash && !items.isEmpty)
        enable(.deleteForever, isTrash && !items.isEmpty)
        enable(.newFolder, browser.canAdd)
        enable(.undo, browser.canUndo)
        enable(.back, !browser.history.isEmpty)
        enable(.forward, !browser.future.isEmpty)
        enable(.up, browser.location.parent != nil)
        enable(.menu, !items.isEmpty || browser.canAdd)
    }

    // MARK: Menus

    /// Returns the menu of the window.
    func mainMenu() -> OpaquePointer {
        let menu: OpaquePointer = g_menu_new()
        append([("New Folder", .newFolder), ("Paste", .paste), ("Undo", .undo), ("Select All", .selectAll)], to: menu)
        append([("List or Grid", .grid), ("Information", .info), ("Reload", .reload)], to: menu)
        append([("Keyboard Shortcuts", .shortcuts)], to: menu)
        return menu
    }

    func isEnabled(_ name: Name) -> Bool { actions[name].map { g_action_get_enabled($0) != 0 } ?? false }

    private func append(_ entries: [(String, Name)], to menu: OpaquePointer) {
        guard !entries.isEmpty else { return }
        let section: OpaquePointer = g_menu_new()
        for (label, name) in entries { g_menu_append(section, label, name.detailed) }
        g_menu_append_section(menu, nil, section.menuModel)
        g_object_unref(section.gtkAddress)
    }
}

extension OpaquePointer {
    /// The `GMenu` as its superclass `GMenuModel`, which GTK's functions take.
    var menuModel: UnsafeMutablePointer<GMenuModel> { object(as: GMenuModel.self) }
}

extension ItemCondition {
    /// Whether there are contents to download.
    var isFetchable: Bool { self == .inCloud || self == .partlyHere }
    /// Whether there are contents that can be removed.
    var isEvictable: Bool { self == .here || self == .partlyHere || self == .kept }
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
