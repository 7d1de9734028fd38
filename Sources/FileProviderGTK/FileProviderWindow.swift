@_exported import CGTK
import FileProviderUI
import Foundation

/// A GTK 4 window in which the user interface of a file provider asks the user, on the user's display.
///
/// While the window is shown, GTK's loop runs on the main thread, tasks of the main actor continue, and there is no
/// time limit. Put GTK widgets into ``window``, and end the request with the context's `completeRequest()` or
/// `cancelRequest(withError:)`. If the user closes the window or presses Escape, the request is cancelled as
/// ``FPUIExtensionErrorCode/userCancelled``, unless ``whenClosed`` is set.
@MainActor public final class FileProviderWindow {
    /// The GTK window, alive until ``close()``.
    public let window: UnsafeMutablePointer<GtkWindow>
    /// A closure that is called when the user closes the window, instead of the cancellation of the request. When the
    /// closure is called, the window is already destroyed.
    public var whenClosed: @MainActor () -> Void

    private let context: FPUIActionExtensionContext
    private var isOpen = true

    /// The windows that are shown. This property retains them.
    private static var shown: [FileProviderWindow] = []

    /// Returns whether a window can be shown: there is a display, and the extension can connect to it. Repeated calls
    /// are cheap.
    public static func isPossible(for context: FPUIActionExtensionContext) -> Bool {
        context.hasDisplay && gtk_init_check() != 0
    }

    /// Creates a window that is not shown yet.
    ///
    /// - Parameter title: the title of the window.
    /// - Throws: ``FPUIErrorDomain`` with ``FPUIExtensionErrorCode/failed`` if there is no display.
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
        onSignalFinally("close-request", of: window) { [weak self] in self?.closedByUser() }
        closeOnEscape()
    }

    /// Shows the window, above others if the display allows that.
    public func show() {
        guard isOpen else { return }
        if Self.shown.isEmpty { context.windowDidAppear() }
        if !Self.shown.contains(where: { $0 === self }) { Self.shown.append(self) }
        gtk_window_present(window)
        MainLoop.run { !Self.shown.isEmpty }
    }

    /// Closes the window. The end of the request closes all windows.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        let wasShown = Self.shown.contains { $0 === self }
        Self.shown.removeAll { $0 === self }
        gtk_window_destroy(window)
        // Sends pending messages to the display, so that it removes the window. If GTK's loop ends now, no later call
        // does this.
        if let display = gdk_display_get_default() { gdk_display_flush(display) }
        if wasShown, Self.shown.isEmpty { context.windowDidDisappear() }
    }

    private func closedByUser() {
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
    /// The pointer in the form that Swift uses for objects of an incomplete C type.
    fileprivate var gtkOpaque: OpaquePointer { OpaquePointer(self) }
}
