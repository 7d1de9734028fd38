import Foundation

/// Why a program cannot serve as an extension, in words for people.
package struct ExtensionFault: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var errorDescription: String? { description }
}
