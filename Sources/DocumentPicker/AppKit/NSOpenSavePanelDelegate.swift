import Foundation
import LinuxSystem

/// An object that decides about the items that the user picks in a panel. All methods are optional.
///
/// The panel is a window of another process, so that the program sees only the items that the user picks. Therefore the
/// delegate is asked about picked items only, and is not informed of the folders and items that the user looks at.
///
/// ```swift
/// final class OnlySmallFiles: NSObject, NSOpenSavePanelDelegate {
///     func panel(_ sender: Any, validate url: URL) throws {
///         let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
///         if size > 1_000_000 { throw CocoaError(.fileReadTooLarge) }
///     }
/// }
/// ```
///
/// Source: AppKit, `NSSavePanel.h`.
@MainActor public protocol NSOpenSavePanelDelegate: NSObjectProtocol {
    /// Returns whether the user may pick an item. Unlike in AppKit, the panel asks when the user has picked the item,
    /// and shows a refusal as an error.
    func panel(_ sender: Any, shouldEnable url: URL) -> Bool
    /// Checks whether the program can use a picked item. If this function throws an error, the panel shows the error's
    /// description and stays open.
    func panel(_ sender: Any, validate url: URL) throws
    /// Returns the name of the new file, which may differ from the entered name, or `nil` to refuse the name. After a
    /// refusal, the panel stays open.
    ///
    /// - Parameter okFlag: Always `true`: the panel does not ask while the user is typing.
    func panel(_ sender: Any, userEnteredFilename filename: String, confirmed okFlag: Bool) -> String?
    /// Never called, because the program does not learn which folders the user opens.
    func panel(_ sender: Any, didChangeToDirectoryURL url: URL?)
    /// Never called, because the panel is never collapsed.
    func panel(_ sender: Any, willExpand expanding: Bool)
    /// Never called, because the program does not learn which items the user selects.
    func panelSelectionDidChange(_ sender: Any?)
}

extension NSOpenSavePanelDelegate {
    /// Permits each item.
    public func panel(_ sender: Any, shouldEnable url: URL) -> Bool { true }
    /// Accepts each item.
    public func panel(_ sender: Any, validate url: URL) throws {}
    /// Accepts the entered name.
    public func panel(_ sender: Any, userEnteredFilename filename: String, confirmed okFlag: Bool) -> String? {
        filename
    }
    /// Does nothing.
    public func panel(_ sender: Any, didChangeToDirectoryURL url: URL?) {}
    /// Does nothing.
    public func panel(_ sender: Any, willExpand expanding: Bool) {}
    /// Does nothing.
    public func panelSelectionDidChange(_ sender: Any?) {}
}

/// Asks the delegate for its decisions.
extension NSSavePanel {
    /// Creates a review that asks the delegate.
    ///
    /// - Parameter perform: calls its argument on the main thread, and does not wait for the call.
    func review(_ perform: @escaping @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void) -> PickReview {
        PickReview { name, reply in
            perform { reply(self.acceptedName(name)) }
        } refusal: { urls, reply in
            perform { reply(self.refusal(of: urls)) }
        }
    }

    private func acceptedName(_ name: String) -> String? {
        guard let delegate else { return name }
        let accepted = delegate.panel(self, userEnteredFilename: name, confirmed: true)
        return accepted.flatMap { FileName($0) == nil ? nil : $0 }
    }

    /// Returns the reason why the delegate refuses the picked items, or `nil` if it accepts them.
    private func refusal(of urls: [URL]) -> String? {
        for url in urls {
            guard delegate?.panel(self, shouldEnable: url) ?? true else {
                return "“\(url.path.lastPathName)” cannot be picked here"
            }
            do {
                try delegate?.panel(self, validate: url)
            } catch {
                return error.localizedDescription
            }
        }
        return nil
    }
}
