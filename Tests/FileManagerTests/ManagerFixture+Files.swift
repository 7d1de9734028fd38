import BrowserTesting
import DesktopTesting
import Foundation
import Glibc
import Testing

/// Operations on the files of the window.
extension ManagerFixture {
    /// Selects all files.
    func selectAll() async throws {
        switch manager {
        case .nautilus: try await perform("view.select-all")
        case .caja, .nemo: try await choose("Select All")
        case .thunar: try await keys("ctrl+a")
        }
    }

    /// Opens the selected folder.
    func openSelection() async throws {
        switch manager {
        case .nautilus: try await perform("view.open-with-default-application")
        case .caja, .nemo: try await choose("Open")
        case .thunar: try await keys("Return")
        }
    }

    /// Renames the only file of a folder.
    func rename(to name: String) async throws {
        try await selectAll()
        switch manager {
        case .nautilus:
            try await perform("view.rename")
            let entry = try await find("New Filename")
            try await onThread { try entry.setText(name) }
            try await pressButton("Rename")
        case .thunar:
            try await keys("F2")
            try await enter(name, inDialog: "Rename")
            try await pressButton("Rename")
        case .caja, .nemo:
            // While no file is selected, the dialog would show the properties of the folder. The dialog is used because
            // the entry for a new name in the list is not an accessible element.
            try await find("the item for a new name") { $0.title == "Rename..." && $0.isSensitive }
            try await choose("Properties")
            let entry = try await enter(name, inDialog: "Properties")
            try await onThread { try entry.press() }
            try await pressButton("Close")
        }
    }

    /// Moves the only file of a folder to the trash.
    func trash() async throws {
        try await selectAll()
        switch manager {
        case .nautilus: try await perform("view.move-to-trash")
        case .caja, .nemo: try await choose("Move to Trash")
        case .thunar: try await keys("Delete")
        }
    }

    /// Restores the only file of the trash.
    func restore() async throws {
        try await selectAll()
        switch manager {
        case .nautilus:
            try await perform("view.popup-menu")
            try await choose("Restore From Trash")
        case .caja, .nemo, .thunar: try await pressButton("Restore")
        }
    }

    /// Opens the context menu of all files, and chooses an item. If the menu lacks the item, opens the menu again.
    func chooseInMenu(_ label: String) async throws {
        try await eventually("an item “\(label)” in an open menu") {
            try await selectAll()
            if manager == .nautilus {
                try await perform("view.popup-menu")
            } else {
                try await keys("shift+F10")
            }
            let isChosen = try await onThread { [tree, manager] in
                for _ in 0..<20 {
                    let item = tree.nodes().first { node in
                        node.role == "menu item" && node.title == label && node.isSensitive
                            && (node.isShowing || manager == .nautilus)
                    }
                    if let item {
                        try item.press()
                        return true
                    }
                    usleep(100_000)
                }
                return false
            }
            if !isChosen { try await keys("Escape") }
            return isChosen
        }
    }
}
