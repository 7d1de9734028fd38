import Foundation
import Synchronization

// Unlike on Apple's platforms, a subclass cannot override these functions, because Swift does not allow overriding a
// declaration of an extension.
extension NSFileProviderManager {
    /// The files to preserve when a domain is removed.
    public enum DomainRemovalMode: Int, Sendable {
        /// No files are preserved.
        case removeAll = 0
        /// Files with changes that are not uploaded.
        case preserveDirtyUserData = 1
        /// All local files. On Linux, a removal with this mode fails with `CocoaError.featureUnsupported`.
        case preserveDownloadedUserData = 2
    }

    /// Options for disconnecting a domain.
    public struct DisconnectionOptions: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A short disconnection, which need not be shown to the user.
        public static let temporary = Self(rawValue: 1 << 0)
    }

    /// Adds a domain. If a domain with its identifier exists, updates that domain's name and properties.
    public class func add(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard NSFileProviderDomain.isValid(domain.identifier) else {
            return calling(completionHandler)(CocoaError(.fileWriteInvalidFileName))
        }
        backend.add(domain, changing(completionHandler))
    }
    /// Adds a domain. If a domain with its identifier exists, updates that domain's name and properties.
    public class func add(_ domain: NSFileProviderDomain) async throws {
        try await answer { add(domain, completionHandler: $0) }
    }

    /// Removes a domain with all its local files.
    public class func remove(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let completion = changing(completionHandler)
        backend.remove(domain.identifier, mode: .removeAll) { _, error in completion(error) }
    }
    /// Removes a domain with all its local files.
    public class func remove(_ domain: NSFileProviderDomain) async throws {
        try await answer { remove(domain, completionHandler: $0) }
    }

    /// Removes a domain, and preserves some of its files.
    ///
    /// - Parameter completionHandler: called with the directory of the preserved files; `nil` if there are none.
    public class func remove(
        _ domain: NSFileProviderDomain, mode: DomainRemovalMode,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let first = OneShotHandler()
        backend.remove(domain.identifier, mode: mode) { url, error in
            first.run {
                if error == nil { domainsDidChange() }
                completionHandler(url, error)
            }
        }
    }
    /// Removes a domain, and preserves some of its files.
    ///
    /// - Returns: the directory of the preserved files; `nil` if there are none.
    public class func remove(_ domain: NSFileProviderDomain, mode: DomainRemovalMode) async throws -> URL? {
        try await answer { answer in
            remove(domain, mode: mode) { url, error in answer(error.map { .failure($0) } ?? .success(url)) }
        }
    }

    /// Returns the domains of the provider.
    public class func getDomainsWithCompletionHandler(
        _ completionHandler: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void
    ) {
        isObserving.store(true, ordering: .relaxed)
        let first = OneShotHandler()
        backend.domains { domains, error in first.run { completionHandler(domains, error) } }
    }
    /// Returns the domains of the provider.
    public class func domains() async throws -> [NSFileProviderDomain] {
        try await answer { answer in
            getDomainsWithCompletionHandler { domains, error in
                answer(error.map { .failure($0) } ?? .success(domains))
            }
        }
    }

    /// Removes all domains of the provider with their local files.
    public class func removeAllDomains(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        backend.removeAll(changing(completionHandler))
    }
    /// Removes all domains of the provider with their local files.
    public class func removeAllDomains() async throws {
        try await answer { removeAllDomains(completionHandler: $0) }
    }

    /// Disconnects the domain. Until ``reconnect()``, the system neither fetches nor uploads anything.
    ///
    /// - Parameter localizedReason: the reason that the user sees.
    public func disconnect(
        reason localizedReason: String, options: DisconnectionOptions = [],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.setDisconnected(
            localizedReason, isTemporary: options.contains(.temporary), domain: domain?.identifier,
            Self.calling(completionHandler))
    }
    /// Disconnects the domain. Until ``reconnect()``, the system neither fetches nor uploads anything.
    public func disconnect(reason localizedReason: String, options: DisconnectionOptions = []) async throws {
        try await Self.answer { disconnect(reason: localizedReason, options: options, completionHandler: $0) }
    }

    /// Connects the domain again after ``disconnect(reason:options:)``.
    public func reconnect(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Self.backend.setDisconnected(
            nil, isTemporary: false, domain: domain?.identifier, Self.calling(completionHandler))
    }
    /// Connects the domain again after ``disconnect(reason:options:)``.
    public func reconnect() async throws {
        try await Self.answer { reconnect(completionHandler: $0) }
    }

    /// Returns a completion handler for a request that changes the list of domains. The returned handler posts the
    /// notification of the change, and then calls the program's handler.
    private class func changing(
        _ handler: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable ((any Error)?) -> Void {
        let first = OneShotHandler()
        return { error in
            first.run {
                if error == nil { domainsDidChange() }
                handler(error)
            }
        }
    }

    /// Whether the program has requested the list of domains. If not, no notifications are posted.
    private static let isObserving = Atomic(false)

    /// Posts the notification that the domains have changed.
    package class func domainsDidChange() {
        guard isObserving.load(ordering: .relaxed) else { return }
        NotificationCenter.default.post(name: .fileProviderDomainDidChange, object: nil)
    }
}
