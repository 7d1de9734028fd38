import Foundation

/// The origin of a request to a provider.
///
/// Source: FileProvider, `NSFileProviderRequest.h`.
open class NSFileProviderRequest: NSObject {
    /// Whether the request comes from the system itself.
    open var isSystemRequest: Bool { false }
    /// Whether the request comes from a program that shows files.
    open var isFileViewerRequest: Bool { false }
    /// The program that caused the request, if it is known and may be disclosed.
    open var requestingExecutable: URL? { nil }
    /// The version of the domain that the system had at the time of the request.
    open var domainVersion: NSFileProviderDomainVersion? { nil }
}
