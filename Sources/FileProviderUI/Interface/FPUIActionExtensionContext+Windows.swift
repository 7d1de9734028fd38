/// The contract between an extension with windows of its own and its host, for any toolkit. `FileProviderGTK`
/// implements it for GTK.
///
/// Source: an addition. Apple's extensions show views.
extension FPUIActionExtensionContext {
    /// Whether a toolkit can find a display: the property list says that the extension shows windows
    /// (`PurveyShowsWindows`), and the user who wants the action has a display. If it is `false`, ``ask(_:)`` may
    /// find a terminal.
    public var hasDisplay: Bool { asking?.hasDisplay ?? false }

    /// Informs the host that a window waits for the user. The time limit does not run until ``windowDidDisappear()``.
    public func windowDidAppear() { asking?.windowIsShown(true) }

    /// Informs the host that no window is shown any more. The time limit then begins again.
    public func windowDidDisappear() { asking?.windowIsShown(false) }
}
