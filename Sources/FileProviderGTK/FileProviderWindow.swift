@_exported import CGTK
import FileProviderUI
import Foundation

/// A window in which the user interface of a file provider asks a person: GTK 4's, on the display that the person sits at.
///
/// While it is shown, GTK's loop runs on the main thread, and tasks of the main actor go on; the person has all the time that they
/// want. Put GTK's own widgets into ``window``, and end with the context's `completeRequest()` or `cancelRequest(withError:)`. When
/// the person closes the window, or presses Escape, the request is cancelled as ``FPUIExtensionErrorCode/userCancelled``, unless
/// ``whenClosed`` says something else.
@MainActor public final class FileProviderWindow {
    /// GTK's object, alive until ``close()``.
    public let window: UnsafeMutablePointer<GtkWindow>
    /// What is done when the person closes the window, in the place of cancelling the request. The window has gone by then.
    public var whenClosed: @MainActor () -> Void

    private let context: FPUIActionExtensionContext
    private var isOpen = true

    /// The windows that are shown, which keeps them.
    private static var shown: [FileProviderWindow] = []

    /// Whether a window can be shown: there is a display, and it lets the extension in. Asked often, it costs nothing.
    public static func isPossible(for context: FPUIActionExtensionContext) -> Bool {
        context.hasDisplay && gtk_init_check() != 0
    }

    /// A window that is not shown yet.
    ///
    /// - Parameter title: what stands above it.
    /// - Throws: ``FPUIErrorDomain`` with ``FPUIExtensionErrorCode/failed`` where there is no display.
    public init(_ title: String, for context: FPUIActionExtensionContext) throws {
        guard Self.isPossible(for: context), let widget = gtk_window_new() else {
            throw NSError(
                domain: FPUIErrorDomain, code: Int(FPUIExtensionErrorCode.failed.rawValue),
                userInfo: [NSLocalizedDescriptionKey: "There is no display to show a window on."])
        }
        self.context = context
        window = widget.object(as: GtkWindow.self)
        whenClosed = {
            context.cancelRequest(
                withError: NSError(
                    domain: FPUIErrorDomain, code: Int(FPUIExtensionErrorCode.userCancelled.rawValue),
                    userInfo: [NSLocalizedDescriptionKey: "It was cancelled."]))
        }
        gtk_window_set_title(window, title)
        onSignalFinally("close-request", of: window) { [weak self] in self?.closedByPerson() }
        closeOnEscape()
    }

    /// Shows it, on top of other windows where the display allows that.
    public func show() {
        guard isOpen else { return }
        if Self.shown.isEmpty { context.windowDidAppear() }
        if !Self.shown.contains(where: { $0 === self }) { Self.shown.append(self) }
        gtk_window_present(window)
        MainLoop.run { !Self.shown.isEmpty }
    }

    /// Takes it away. The end of the request takes away all windows.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        let wasShown = Self.shown.contains { $0 === self }
        Self.shown.removeAll { $0 === self }
        gtk_window_destroy(window)
        // Nothing else may bring it to the display any more, if the loop ends now.
        if let display = gdk_display_get_default() { gdk_display_flush(display) }
        if wasShown, Self.shown.isEmpty { context.windowDidDisappear() }
    }

    private func closedByPerson() {
        close()
        whenClosed()
    }

    private func closeOnEscape() {
        let shortcut = gtk_shortcut_new(
            gtk_shortcut_trigger_parse_string("Escape"), gtk_shortcut_action_parse_string("action(window.close)"))
        let shortcuts = gtk_shortcut_controller_new()
        guard let shortcut, let shortcuts else { return }
        gtk_shortcut_controller_add_shortcut(shortcuts.gtkAddress.gtkOpaque, shortcut)
        gtk_widget_add_controller(window.object(as: GtkWidget.self), shortcuts)
    }
}

extension UnsafeMutableRawPointer {
    /// As Swift has objects whose C structure it does not see.
    fileprivate var gtkOpaque: OpaquePointer { OpaquePointer(self) }
}
