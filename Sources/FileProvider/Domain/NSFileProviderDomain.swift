import Foundation
import Synchronization

/// One of a provider's trees of items: an account, say. Each is seen as a folder of its own.
///
/// Sendable, unlike Apple's: what it is made with stays as it is, and the rest is under a lock.
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
        // Values of property lists, which nobody changes.
        var userInfo: [AnyHashable: Any]?
    }

    /// How a test has the domain run.
    public struct TestingModes: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// A set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The person need not switch the domain on.
        public static let alwaysEnabled = Self(rawValue: 1 << 0)
        /// Nothing is done but what the test asks for.
        public static let interactive = Self(rawValue: 1 << 1)
    }

    private let domainIdentifier: NSFileProviderDomainIdentifier
    private let name: String
    private let storagePath: String
    private let replicates: Bool
    // Innermost: nothing is called under it.
    private let lock = NSLock()
    // Under the lock.
    private nonisolated(unsafe) var state = State()

    /// A domain of a provider that keeps its files itself, an ``NSFileProviderExtension``.
    ///
    /// - Parameters:
    ///   - identifier: neither `/` nor `:` is in it.
    ///   - displayName: what the person sees.
    ///   - pathRelativeToDocumentStorage: the folder of its files, beneath ``NSFileProviderManager/documentStorageURL``.
    public init(
        identifier: NSFileProviderDomainIdentifier, displayName: String, pathRelativeToDocumentStorage: String
    ) {
        domainIdentifier = identifier
        name = displayName
        storagePath = pathRelativeToDocumentStorage
        replicates = false
        super.init()
    }

    /// A domain of a provider whose files the system keeps.
    ///
    /// - Parameters:
    ///   - identifier: neither `/` nor `:` is in it.
    ///   - displayName: what the person sees.
    public init(identifier: NSFileProviderDomainIdentifier, displayName: String) {
        domainIdentifier = identifier
        name = displayName
        storagePath = ""
        replicates = true
        super.init()
    }

    /// What the provider calls it.
    open var identifier: NSFileProviderDomainIdentifier { domainIdentifier }
    /// What the person sees.
    open var displayName: String { name }
    /// The folder of its files, beneath ``NSFileProviderManager/documentStorageURL``; empty where the system keeps them.
    open var pathRelativeToDocumentStorage: String { storagePath }
    /// Whether the system keeps its files.
    open var isReplicated: Bool { replicates }

    /// Whether the provider has cut it off with ``NSFileProviderManager/disconnect(reason:options:)``.
    open var isDisconnected: Bool { with { $0.isDisconnected } }
    /// Whether the person has it switched on.
    open var userEnabled: Bool { with { $0.isEnabled } }
    /// Whether it is not shown.
    open var isHidden: Bool {
        get { with { $0.isHidden } }
        set { with { $0.isHidden = newValue } }
    }
    /// How a test has it run.
    open var testingModes: TestingModes {
        get { with { $0.testingModes } }
        set { with { $0.testingModes = newValue } }
    }
    /// Another one means that the system lost what it knew of the domain and began again; `nil` before it is known.
    open var backingStoreIdentity: Data? { with { $0.backingStoreIdentity } }
    /// Whether what is put into the trash stays with the service.
    open var supportsSyncingTrash: Bool {
        get { with { $0.supportsSyncingTrash } }
        set { with { $0.supportsSyncingTrash = newValue } }
    }
    /// Whether the provider's service is asked when somebody looks for items of the domain (``NSFileProviderSearching``).
    open var supportsStringSearchRequest: Bool {
        get { with { $0.supportsStringSearchRequest } }
        set { with { $0.supportsStringSearchRequest = newValue } }
    }
    /// The known folders that the provider could take over. Nothing asks for it on Linux.
    open var supportedKnownFolders: NSFileProviderKnownFolders {
        get { with { $0.supportedKnownFolders } }
        set { with { $0.supportedKnownFolders = newValue } }
    }
    /// The volume that it is on, where that is not the system's: never, here.
    open var volumeUUID: UUID? { nil }
    /// What the provider keeps with it: strings as keys; strings, numbers, dates and data as values. A folder that a person
    /// handed to the domain is its path under `path`.
    open var userInfo: [AnyHashable: Any]? {
        get { with { $0.userInfo } }
        set { with { $0.userInfo = newValue } }
    }

    private func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { body(&state) }
    }

    /// What the daemon knows of it.
    package func set(isEnabled: Bool, isDisconnected: Bool, backingStoreIdentity: Data?) {
        with {
            $0.isEnabled = isEnabled
            $0.isDisconnected = isDisconnected
            $0.backingStoreIdentity = backingStoreIdentity
        }
    }

    /// What a domain's identifier may be: a file has its name.
    package static func isValid(_ identifier: NSFileProviderDomainIdentifier) -> Bool {
        let name = identifier.rawValue
        return !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == 0 }
    }
}

extension NSNotification.Name {
    /// Posted when a domain was added, removed, switched on or off, or changed, in a process that has asked for the domains.
    public static let fileProviderDomainDidChange = NSNotification.Name("NSFileProviderDomainDidChange")
}
