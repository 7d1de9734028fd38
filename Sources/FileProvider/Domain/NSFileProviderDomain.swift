import Foundation
import Synchronization

/// A domain of a provider: one tree of items, such as an account. The user sees each domain as a folder of its own.
///
/// Unlike Apple's class, it is Sendable. Values from the initializer do not change. A lock protects all other values.
///
/// Source: FileProvider, `NSFileProviderDomain.h`.
open class NSFileProviderDomain: NSObject, @unchecked Sendable {
    private struct State {
        var isHidden = false
        var testingModes: TestingModes = []
        var supportsSyncingTrash = true
        var supportsStringSearchRequest = false
        var isDisconnected = false
        var isEnabled = true
        var backingStoreIdentity: Data?
        var supportedKnownFolders: NSFileProviderKnownFolders = []
        // Values of property lists, which are never changed in place.
        var userInfo: [AnyHashable: Any]?
    }

    /// The modes in which a test runs the domain.
    public struct TestingModes: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A mode in which the user need not enable the domain.
        public static let alwaysEnabled = Self(rawValue: 1 << 0)
        /// A mode in which the system does not synchronize by itself. Instead, the test runs each step.
        public static let interactive = Self(rawValue: 1 << 1)
    }

    private let domainIdentifier: NSFileProviderDomainIdentifier
    private let name: String
    private let storagePath: String
    private let replicates: Bool
    // Leaf lock.
    private let lock = NSLock()
    // Protected by `lock`.
    private nonisolated(unsafe) var state = State()

    /// Creates a domain of an ``NSFileProviderExtension``, a provider that stores its files itself.
    ///
    /// - Parameters:
    /// - identifier: The identifier, which contains neither `/` nor `:`.
    /// - displayName: The name that the user sees.
    /// - pathRelativeToDocumentStorage: The directory of the domain's files, relative to
    ///   ``NSFileProviderManager/documentStorageURL``.
    public init(
        identifier: NSFileProviderDomainIdentifier, displayName: String, pathRelativeToDocumentStorage: String
    ) {
        domainIdentifier = identifier
        name = displayName
        storagePath = pathRelativeToDocumentStorage
        replicates = false
        super.init()
    }

    /// Creates a domain of a replicated provider, whose files the system stores.
    ///
    /// - Parameters:
    /// - identifier: The identifier, which contains neither `/` nor `:`.
    /// - displayName: The name that the user sees.
    public init(identifier: NSFileProviderDomainIdentifier, displayName: String) {
        domainIdentifier = identifier
        name = displayName
        storagePath = ""
        replicates = true
        super.init()
    }

    /// The identifier that the provider has chosen for the domain.
    open var identifier: NSFileProviderDomainIdentifier { domainIdentifier }
    /// The name that the user sees.
    open var displayName: String { name }
    /// The directory of the domain's files, relative to ``NSFileProviderManager/documentStorageURL``; empty if the
    /// system stores the files.
    open var pathRelativeToDocumentStorage: String { storagePath }
    /// Whether the system, rather than the provider, stores the domain's files.
    open var isReplicated: Bool { replicates }

    /// Whether the provider has disconnected the domain with ``NSFileProviderManager/disconnect(reason:options:)``.
    open var isDisconnected: Bool { with { $0.isDisconnected } }
    /// Whether the user has enabled the domain.
    open var userEnabled: Bool { with { $0.isEnabled } }
    /// Whether the domain is hidden.
    open var isHidden: Bool {
        get { with { $0.isHidden } }
        set { with { $0.isHidden = newValue } }
    }
    /// The modes in which a test runs the domain.
    open var testingModes: TestingModes {
        get { with { $0.testingModes } }
        set { with { $0.testingModes = newValue } }
    }
    /// The identity of the system's database of the domain; `nil` until the daemon has reported it. The identity
    /// changes if the database is lost and the system creates a new one.
    open var backingStoreIdentity: Data? { with { $0.backingStoreIdentity } }
    /// Whether the service stores trashed items.
    open var supportsSyncingTrash: Bool {
        get { with { $0.supportsSyncingTrash } }
        set { with { $0.supportsSyncingTrash = newValue } }
    }
    /// Whether searches in the domain also ask the provider's service (``NSFileProviderSearching``).
    open var supportsStringSearchRequest: Bool {
        get { with { $0.supportsStringSearchRequest } }
        set { with { $0.supportsStringSearchRequest = newValue } }
    }
    /// The known folders that the provider can take over. Has no effect on Linux.
    open var supportedKnownFolders: NSFileProviderKnownFolders {
        get { with { $0.supportedKnownFolders } }
        set { with { $0.supportedKnownFolders = newValue } }
    }
    /// The external volume of the domain; always `nil` on Linux.
    open var volumeUUID: UUID? { nil }
    /// The provider's own data about the domain. The keys are strings. The values are strings, numbers, dates or data.
    /// The value for the key `path` is the path of a directory to which the user gave the domain access.
    open var userInfo: [AnyHashable: Any]? {
        get { with { $0.userInfo } }
        set { with { $0.userInfo = newValue } }
    }

    private func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { body(&state) }
    }

    /// Sets values that the daemon reported.
    package func set(isEnabled: Bool, isDisconnected: Bool, backingStoreIdentity: Data?) {
        with {
            $0.isEnabled = isEnabled
            $0.isDisconnected = isDisconnected
            $0.backingStoreIdentity = backingStoreIdentity
        }
    }

    /// Whether the given identifier is valid. A valid identifier is a file name without `:`.
    package static func isValid(_ identifier: NSFileProviderDomainIdentifier) -> Bool {
        let name = identifier.rawValue
        return !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == 0 }
    }
}

extension NSNotification.Name {
    /// A notification that a domain was added, removed, enabled, disabled or modified. It is posted in processes that
    /// have requested the list of domains.
    public static let fileProviderDomainDidChange = NSNotification.Name("NSFileProviderDomainDidChange")
}
