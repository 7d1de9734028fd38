import Foundation
import Synchronization

// Unlike with Apple, a subclass cannot override these: Swift has no overriding of what an extension declares.
extension NSFileProviderManager {
    /// What is kept of a domain that is removed.
    public enum DomainRemovalMode: Int, Sendable {
        /// Nothing.
        case removeAll = 0
        /// What the service does not have yet.
        case preserveDirtyUserData = 1
        /// Everything that is on this machine.
        case preserveDownloadedUserData = 2
    }

    /// How a domain is cut off.
    public struct DisconnectionOptions: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// A set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// For a short while only: the person need not be told.
        public static let temporary = Self(rawValue: 1 << 0)
    }

    /// Adds a domain. One with the same identifier gets the new name and properties.
    public class func add(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard NSFileProviderDomain.isValid(domain.identifier) else {
            return calling(completionHandler)(CocoaError(.fileWriteInvalidFileName))
        }
        backend.add(domain, changing(completionHandler))
    }
    /// Adds a domain. One with the same identifier gets the new name and properties.
    public class func add(_ domain: NSFileProviderDomain) async throws {
        try await answer { add(domain, completionHandler: $0) }
    }

    /// Removes a domain with all its files on this machine.
    public class func remove(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let completion = changing(completionHandler)
        backend.remove(domain.identifier, mode: .removeAll) { _, error in completion(error) }
    }
    /// Removes a domain with all its files on this machine.
    public class func remove(_ domain: NSFileProviderDomain) async throws {
        try await answer { remove(domain, completionHandler: $0) }
    }

    /// Removes a domain, and keeps some of its files.
    ///
    /// - Parameter completionHandler: called with the folder of what was kept; `nil` for nothing.
    public class func remove(
        _ domain: NSFileProviderDomain, mode: DomainRemovalMode,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let first = FirstAnswer()
        backend.remove(domain.identifier, mode: mode) { url, error in
            first.run {
                if error == nil { domainsDidChange() }
                completionHandler(url, error)
            }
        }
    }
    /// Removes a domain, and keeps some of its files.
    ///
    /// - Returns: the folder of what was kept; `nil` for nothing.
    public class func remove(_ domain: NSFileProviderDomain, mode: DomainRemovalMode) async throws -> URL? {
        try await answer { answer in
            remove(domain, mode: mode) { url, error in answer(error.map { .failure($0) } ?? .success(url)) }
        }
    }

    /// The domains of the provider.
    public class func getDomainsWithCompletionHandler(
        _ completionHandler: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void
    ) {
        isObserving.store(true, ordering: .relaxed)
        let first = FirstAnswer()
        backend.domains { domains, error in first.run { completionHandler(domains, error) } }
    }
    /// The domains of the provider.
    public class func domains() async throws -> [NSFileProviderDomain] {
        try await answer { answer in
            getDomainsWithCompletionHandler { domains, error in
                answer(error.map { .failure($0) } ?? .success(domains))
            }
        }
    }

    /// Removes all domains of the provider with their files on this machine.
    public class func removeAllDomains(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        backend.removeAll(changing(completionHandler))
    }
    /// Removes all domains of the provider with their files on this machine.
    public class func removeAllDomains() async throws {
        try await answer { removeAllDomains(completionHandler: $0) }
    }

    /// Cuts the domain off: nothing of it is fetched or sent until ``reconnect()``.
    ///
    /// - Parameter localizedReason: for the person.
    public func disconnect(
        reason localizedReason: String, options: DisconnectionOptions = [],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.setDisconnected(
            localizedReason, isTemporary: options.contains(.temporary), domain: domain?.identifier,
            Self.calling(completionHandler))
    }
    /// Cuts the domain off: nothing of it is fetched or sent until ``reconnect()``.
    public func disconnect(reason localizedReason: String, options: DisconnectionOptions = []) async throws {
        try await Self.answer { disconnect(reason: localizedReason, options: options, completionHandler: $0) }
    }

    /// Ends what ``disconnect(reason:options:)`` began.
    public func reconnect(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Self.backend.setDisconnected(
            nil, isTemporary: false, domain: domain?.identifier, Self.calling(completionHandler))
    }
    /// Ends what ``disconnect(reason:options:)`` began.
    public func reconnect() async throws {
        try await Self.answer { reconnect(completionHandler: $0) }
    }

    /// After a change of the domains: the program is told twice, by its handler and by a notification.
    private class func changing(
        _ handler: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable ((any Error)?) -> Void {
        let first = FirstAnswer()
        return { error in
            first.run {
                if error == nil { domainsDidChange() }
                handler(error)
            }
        }
    }

    /// Whether the program has asked for the domains: only then does it hear of changes.
    private static let isObserving = Atomic(false)

    /// Tells the program that the domains are not what they were.
    package class func domainsDidChange() {
        guard isObserving.load(ordering: .relaxed) else { return }
        NotificationCenter.default.post(name: .fileProviderDomainDidChange, object: nil)
    }
}
