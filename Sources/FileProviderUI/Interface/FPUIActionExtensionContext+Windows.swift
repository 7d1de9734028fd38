/// What an extension with windows of its own and its host agree upon, whichever toolkit makes the windows: `FileProviderGTK` does
/// all of it for GTK.
///
/// Source: an addition; with Apple, extensions show views.
extension FPUIActionExtensionContext {
    /// Whether a toolkit will find a display: the property list says that the extension shows windows (`PurveyShowsWindows`), and
    /// whoever wants the action sits at one. Where it is `false`, ``ask(_:)`` may find a terminal.
    public var hasDisplay: Bool { asking?.hasDisplay ?? false }

    /// Tells the host that a window is shown for a person to answer: they have all the time that they want until
    /// ``windowDidDisappear()``.
    public func windowDidAppear() { asking?.windowIsShown(true) }

    /// Tells the host that no window is shown any more: the extension has as long to end as before.
    public func windowDidDisappear() { asking?.windowIsShown(false) }
}
