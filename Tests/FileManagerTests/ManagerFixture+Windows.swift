import BrowserTesting
import DesktopTesting
import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// Controls the window of the file manager as assistive technologies and a user with a keyboard do.
extension ManagerFixture {
    /// Waits until a condition holds for an element, and returns the first such element.
    ///
    /// - Parameter words: A description of the element for the message of a failure.
    @discardableResult
    func find(
        _ words: String, where condition: @escaping @Sendable (AccessibleNode) -> Bool
    ) async throws -> AccessibleNode {
        var found: AccessibleNode?
        try await eventually(words) { [tree] in
            found = try await onThread { tree.nodes().first(where: condition) }
            return found != nil
        }
        return try #require(found)
    }

    /// Waits until an element has the given name, and returns the first such element.
    @discardableResult
    func find(_ name: String) async throws -> AccessibleNode { try await find("“\(name)”") { $0.title == name } }

    /// Waits until no element has the given name.
    func awaitNo(_ name: String) async throws {
        try await eventually("no “\(name)”") { try await !shows(name) }
    }

    /// Whether an element has the given name.
    func shows(_ name: String) async throws -> Bool {
        try await onThread { [tree] in tree.nodes().contains { $0.title == name } }
    }

    /// Waits until a button whose label begins with a text can be used, and presses it.
    func pressButton(_ label: String) async throws {
        let button = try await find("a button “\(label)”") { [manager] node in
            ["button", "push button"].contains(node.role) && node.isSensitive
                && (node.isShowing || manager == .nautilus) && node.descendants().contains { $0.title.hasPrefix(label) }
        }
        try await onThread { try button.press() }
    }

    /// Waits until an item of a menu can be used, and chooses it. The menu need not be open.
    func choose(_ label: String) async throws {
        let item = try await find("an item “\(label)”") { node in
            node.role == "menu item" && node.title == label && node.isSensitive
        }
        try await onThread { try item.press() }
    }

    /// Waits until an action of Nautilus can be performed, and performs it.
    func perform(_ action: String) async throws {
        try await eventually(action) { [tree] in
            try await onThread { tree.nodes().contains { (try? $0.perform(action)) == true } }
        }
    }

    /// Waits for a dialog, and replaces the text of its first entry.
    ///
    /// - Parameter title: A text in the title of the dialog.
    /// - Returns: The entry.
    @discardableResult
    func enter(_ text: String, inDialog title: String) async throws -> AccessibleNode {
        let dialog = try await find("a dialog “\(title)”") { node in
            node.role == "dialog" && node.title.contains(title) && node.descendants().contains { $0.role == "text" }
        }
        return try await onThread {
            let entry = try #require(dialog.descendants().first { $0.role == "text" })
            try entry.setText(text)
            return entry
        }
    }

    // MARK: The keyboard

    /// Gives the keyboard focus to the window whose title contains the given text. No window manager does so on this
    /// display.
    func focusWindow(_ title: String) async throws {
        try await eventually("a window “\(title)”") {
            try await desk.run("/usr/bin/xdotool", ["search", "--onlyvisible", "--name", title, "windowfocus"])
                .status == 0
        }
    }

    /// Presses keys, in the form of `xdotool`.
    func keys(_ keys: String...) async throws {
        let run = try await desk.run("/usr/bin/xdotool", ["key"] + keys)
        #expect(run.status == 0, "\(run)")
    }

    /// Presses the tab key until a condition holds for the element with the keyboard focus.
    func tab(to words: String, where condition: @escaping @Sendable (AccessibleNode) -> Bool) async throws {
        var last = try await find("the keyboard focus", where: { $0.isFocused })
        for _ in 0..<60 {
            if try await onThread({ [last] in condition(last) }) { return }
            try await keys("Tab")
            last = try await find("another element with the keyboard focus") { [last] node in
                node.isFocused && !node.isSame(as: last)
            }
        }
        throw BrowsedCloud.Failed("the tab key does not reach \(words)")
    }
}
