import BrowserTesting
import DaemonTesting
import DesktopTesting
import LinuxSystem
import ScriptableService
import Testing

/// Chooses places, items, entries of menus and check boxes with the keyboard. Assistive technologies cannot move the
/// focus of GTK 4.8, and have no action for these elements.
extension WindowFixture {
    /// Presses keys until the focus is on the element.
    ///
    /// - Parameter key: returns the key that moves the focus closer to the element; `nil` if the element has the focus;
    ///   an empty text to wait.
    private func moveFocus(to name: String, _ key: @escaping @Sendable (AccessibilityBus) -> String?) async throws {
        let tree = tree
        var arrivals = 0
        try await eventually("the focus is on “\(name)”") {
            let next = try await onThread { key(tree) }
            // The window may not have handled the last key yet, which would move the focus further.
            arrivals = next == nil ? arrivals + 1 : 0
            if let next, !next.isEmpty { try await keys(next) }
            return arrivals == 2
        }
    }

    /// Moves the focus to a row of the list that has the focus. Afterwards, only this row is selected.
    private func moveFocus(toRow name: String, of list: String) async throws {
        try await moveFocus(to: name) { tree in
            let rows = tree.find("list", list)?.children.filter { $0.role == "list item" } ?? []
            guard let focused = rows.firstIndex(where: \.isFocused),
                let wanted = rows.firstIndex(where: { $0.title.hasPrefix(name) })
            else { return "" }
            if focused != wanted { return focused < wanted ? "Down" : "Up" }
            if rows.indices.filter({ rows[$0].isSelected }) == [wanted] { return nil }
            // A row is selected when an arrow key reaches it.
            return wanted > 0 ? "Up" : rows.count > 1 ? "Down" : "space"
        }
    }

    /// Moves the focus to an element with a key that moves the focus from each element to the next, and from the last
    /// to the first.
    private func moveFocus(to role: String, _ name: String, with key: String) async throws {
        try await moveFocus(to: name) { tree in
            guard let node = tree.find(role, name) else { return "" }
            return node.isFocused ? nil : key
        }
    }

    /// Selects one item and deselects all others. Waits until the focus is on the items.
    func select(_ name: String) async throws { try await moveFocus(toRow: name, of: Self.items) }

    /// Shows a place at the side of the window. The focus must not be on the places.
    func choosePlace(_ name: String) async throws {
        try await keys("F6")
        try await moveFocus(toRow: name, of: "Places")
        try await keys("Return")
    }

    /// Opens the menu of the selection, and chooses an entry of the menu or of a submenu.
    func chooseInMenu(_ entries: String...) async throws {
        try await keys("shift+F10")
        for entry in entries {
            try await moveFocus(to: "menu item", entry, with: "Down")
            try await keys("Return")
        }
    }

    /// Toggles the check box of a dialog.
    func toggle(_ name: String, inDialog title: String) async throws {
        try await focusWindow(named: title)
        try await moveFocus(to: "checkbox", name, with: "Tab")
        let box = try await find("checkbox", name)
        let wasChecked = try await onThread { box.isChecked }
        try await keys("space")
        try await eventually("“\(name)” changes") { try await onThread { box.isChecked != wasChecked } }
    }

    /// Answers the dialog that is shown, waits until the dialog has closed, and returns the keyboard focus to the
    /// window.
    func answer(_ label: String, to title: String) async throws {
        try await pressButton(labelled: label)
        try await awaitNo("label", title)
        try await focusWindow()
    }

    /// Replaces the text of an entry.
    func enter(_ text: String, in name: String) async throws {
        let entry = try await find("text box", name)
        try await onThread { try entry.setText(text) }
    }

    /// Whether the window now has an element with the given role and name.
    func has(_ role: String, _ name: String) async throws -> Bool {
        let tree = tree
        return try await onThread { tree.find(role, name) != nil }
    }

    /// Runs `purvey`, and returns its output.
    func purvey(_ arguments: String...) async throws -> String {
        let daemon = place.daemon
        let (ending, text) = try await onThread { try daemon.purvey(arguments) }
        #expect(ending == .exited(0), "\(arguments): \(text)")
        return text
    }

    /// Adds another domain of the test's service.
    func addDomain(_ name: String) async throws {
        _ = try await purvey("domains", "add", StartedCloud.providerIdentifier, name, "path=" + place.cloud.folder)
    }
}
