/// The data to take back a change of the user.
enum UndoStep: Sendable {
    /// Items that were moved to the trash.
    case trashed([BrowserItem])
    /// Moves from one path of a mount to another.
    case moved([(from: String, to: String)])
    /// Changes in their order.
    indirect case several([UndoStep])
}

/// Items that wait to be pasted in the window.
package struct Clipboard: Sendable {
    package let items: [BrowserItem]
    /// Whether the items move when they are pasted.
    package let isCut: Bool
}
