import Foundation
import OSLog

/// A reason why the user could not pick.
public struct DocumentPickerError: Error, LocalizedError, Sendable, CustomStringConvertible, Equatable {
    /// The failure in one sentence.
    public let description: String
    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }

    package init(_ description: String) { self.description = description }

    private static let log = Logger(subsystem: "Purvey", category: "DocumentPicker")

    /// Logs a failure. Delegates of UIKit and panels of AppKit learn of none: for them, the user picked nothing.
    static func note(_ error: any Error) {
        log.error("\(String(describing: error), privacy: .public)")
    }
}
