import Foundation

/// The reason why a program cannot serve as an extension, in words for the user.
package struct ExtensionBundleError: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var errorDescription: String? { description }
}
