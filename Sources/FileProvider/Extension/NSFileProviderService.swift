/// What a service of a provider is called.
///
/// Source: Foundation, `NSFileManager.h`.
public struct NSFileProviderServiceName: Hashable, RawRepresentable, Sendable {
    /// The name.
    public let rawValue: String
    /// A service's name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A service's name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A service that a provider offers for its items.
///
/// Source: FileProvider, `NSFileProviderService.h`.
public protocol NSFileProviderServiceSource {
    /// What the service is called.
    var serviceName: NSFileProviderServiceName { get }
    /// Whether only programs of the provider's own may use it.
    var isRestricted: Bool { get }
}

extension NSFileProviderServiceSource {
    /// Every program may use it.
    public var isRestricted: Bool { false }
}
