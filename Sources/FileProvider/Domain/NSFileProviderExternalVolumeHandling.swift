import Foundation
import FoundationAdditions

/// A provider that supports domains on external volumes. On Linux, domains are on the system's volume only, so the
/// system never calls these functions.
///
/// A class implements one of the two forms of the function.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderExternalVolumeHandling: NSObjectProtocol {
    /// Decides whether the system may connect a domain whose volume was attached again. If the function fails, the
    /// domain is not connected.
    func shouldConnectExternalDomain(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Decides whether the system may connect a domain whose volume was attached again. If the function fails, the
    /// domain is not connected.
    func shouldConnectExternalDomain() async throws
}

extension NSFileProviderExternalVolumeHandling {
    /// Calls the `async` form.
    public func shouldConnectExternalDomain(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let provider: any NSFileProviderExternalVolumeHandling = self
        AsyncBridging.answer(provider, "shouldConnectExternalDomain") { (answer: Result<Void, any Error>) in
            if case .failure(let error) = answer { completionHandler(error) } else { completionHandler(nil) }
        } _: {
            try await $0.shouldConnectExternalDomain()
        }
    }

    /// Calls the form with a completion handler. If the class implements neither form, the domain is not connected.
    public func shouldConnectExternalDomain() async throws {
        try await AsyncBridging.ask(self, "shouldConnectExternalDomain", neither: { try AsyncBridging.unsupported() }) {
            answer in
            shouldConnectExternalDomain { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }
}

/// The reasons why a volume cannot hold domains.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
public struct NSFileProviderVolumeUnsupportedReason: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A reason that none of the other values describes.
    public static let unknown = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 0)
    /// A file system other than APFS.
    public static let nonAPFS = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 1)
    /// A volume that is not encrypted.
    public static let nonEncrypted = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 2)
    /// A read-only volume.
    public static let readOnly = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 3)
    /// A volume on another machine.
    public static let network = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 4)
    /// A volume in quarantine.
    public static let quarantined = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 5)
}

extension NSFileProviderManager {
    /// The result of a check whether a volume can hold domains.
    public enum EligibilityResult: Equatable, Sendable {
        /// A volume that can hold domains.
        case eligible
        /// A volume that cannot hold domains.
        case ineligible(NSFileProviderVolumeUnsupportedReason)
    }

    /// Checks whether a volume can hold domains. On Linux no volume can, because `PURVEY_HOME` or `XDG_DATA_HOME`
    /// determines the directory of a domain's files. The reason is always `unknown`.
    ///
    /// - Throws: an error of Foundation if the URL's item does not exist.
    public class func checkDomainsCanBeStoredOnVolume(at url: URL) throws -> EligibilityResult {
        guard try url.checkResourceIsReachable() else { throw CocoaError(.fileReadNoSuchFile) }
        return .ineligible(.unknown)
    }
}
