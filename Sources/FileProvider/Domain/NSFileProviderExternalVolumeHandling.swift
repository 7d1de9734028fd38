import Foundation

/// A provider whose domains may lie on external volumes. Domains are on the system's volume only, here: nothing asks it.
///
/// A class implements either form.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderExternalVolumeHandling: NSObjectProtocol {
    /// Whether a domain on a volume that came back is to be connected: an error says that it is not.
    func shouldConnectExternalDomain(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Whether a domain on a volume that came back is to be connected: an error says that it is not.
    func shouldConnectExternalDomain() async throws
}

extension NSFileProviderExternalVolumeHandling {
    /// Asks the other form.
    public func shouldConnectExternalDomain(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let provider: any NSFileProviderExternalVolumeHandling = self
        TwoForms.answer(provider, "shouldConnectExternalDomain") { (answer: Result<Void, any Error>) in
            if case .failure(let error) = answer { completionHandler(error) } else { completionHandler(nil) }
        } _: {
            try await $0.shouldConnectExternalDomain()
        }
    }

    /// Asks the other form. A class that has neither does not connect.
    public func shouldConnectExternalDomain() async throws {
        try await TwoForms.ask(self, "shouldConnectExternalDomain", neither: { try TwoForms.unsupported() }) { answer in
            shouldConnectExternalDomain { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }
}

/// Why no domain can be on a volume.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
public struct NSFileProviderVolumeUnsupportedReason: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt
    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// For a reason that has no name.
    public static let unknown = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 0)
    /// The volume's file system is not APFS.
    public static let nonAPFS = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 1)
    /// The volume is not encrypted.
    public static let nonEncrypted = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 2)
    /// The volume cannot be written.
    public static let readOnly = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 3)
    /// The volume is another machine's.
    public static let network = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 4)
    /// The volume is kept apart.
    public static let quarantined = NSFileProviderVolumeUnsupportedReason(rawValue: 1 << 5)
}

extension NSFileProviderManager {
    /// Whether domains can be on a volume.
    public enum EligibilityResult: Equatable, Sendable {
        /// They can.
        case eligible
        /// They cannot.
        case ineligible(NSFileProviderVolumeUnsupportedReason)
    }

    /// Whether domains can be on a volume: on none, here, for no reason that has a name. What a domain keeps is where
    /// `PURVEY_HOME` or `XDG_DATA_HOME` says.
    ///
    /// - Throws: an error of Foundation's if there is no such item.
    public class func checkDomainsCanBeStoredOnVolume(at url: URL) throws -> EligibilityResult {
        guard try url.checkResourceIsReachable() else { throw CocoaError(.fileReadNoSuchFile) }
        return .ineligible(.unknown)
    }
}
