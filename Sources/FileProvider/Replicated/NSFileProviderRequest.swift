import Foundation

/// Who asks a provider for something.
///
/// Source: FileProvider, `NSFileProviderRequest.h`.
open class NSFileProviderRequest: NSObject {
    /// Whether the system itself asks.
    open var isSystemRequest: Bool { false }
    /// Whether a program that shows files asks.
    open var isFileViewerRequest: Bool { false }
    /// The program that asks, where it is known and may be told.
    open var requestingExecutable: URL? { nil }
    /// The version of the domain that the system had when it asked.
    open var domainVersion: NSFileProviderDomainVersion? { nil }
}
