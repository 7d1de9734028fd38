import Foundation

/// The part of AppKit's application that panels need: the results of modal panels.
///
/// Source: AppKit, `NSApplication.h`.
@MainActor open class NSApplication: NSObject {
    /// The result of a modal panel.
    public struct ModalResponse: RawRepresentable, Hashable, Sendable {
        /// AppKit's number of the result.
        public let rawValue: Int

        /// Creates a result from AppKit's number.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Creates a result from AppKit's number.
        public init(_ rawValue: Int) { self.rawValue = rawValue }

        /// The user picked.
        public static let OK = ModalResponse(1)
        /// The user picked nothing, or the panel could not be shown.
        public static let cancel = ModalResponse(0)
        /// The panel was stopped.
        public static let stop = ModalResponse(-1_000)
        /// The panel was ended.
        public static let abort = ModalResponse(-1_001)
        /// The panel goes on.
        public static let `continue` = ModalResponse(-1_002)
    }
}
