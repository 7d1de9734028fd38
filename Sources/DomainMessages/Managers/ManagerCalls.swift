import Conduit
import FileProviderWire

/// The method numbers of the requests from providers' own programs to the daemon. A number is never reused. Numbers
/// below 192 belong to the daemon's other services.
enum ManagerMethod {
    static let place: UInt64 = 192
    static let domains: UInt64 = 193
    static let add: UInt64 = 194
    static let remove: UInt64 = 195
    static let signal: UInt64 = 196
    static let resolved: UInt64 = 197
    static let visiblePath: UInt64 = 198
    static let visibleItem: UInt64 = 199
    static let transfer: UInt64 = 200
    static let services: UInt64 = 201
    static let openService: UInt64 = 202
    static let settle: UInt64 = 203
    static let disconnect: UInt64 = 204
    static let progress: UInt64 = 205
    static let set: UInt64 = 206
    static let modification: UInt64 = 207
    static let reimport: UInt64 = 208
    static let setVersion: UInt64 = 220
    static let importDomain: UInt64 = 221
}

/// A request of a program for the identifier and the document storage of the provider to which the program belongs.
package struct ManagerPlaceCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.place }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Value: SchemaMessage {
        /// The identifier of the provider's extension.
        package let identifier: String
        /// The path of the document storage: the directory with the documents of all domains of the provider.
        package let storage: String

        package init(identifier: String, storage: String) {
            self.identifier = identifier
            self.storage = storage
        }

        package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.storage))
    }
}

/// A request for the domains of the provider to which the client belongs.
package struct ManagedDomainsCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.domains }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Value: SchemaMessage {
        package let domains: [ManagedDomain]

        package init(domains: [ManagedDomain]) { self.domains = domains }

        package static let schema = Schema(Self.init, Field(0, \.domains))
    }
}

/// A request to add a domain. If the provider already has a domain with the same identifier, that domain is
/// changed.
package struct AddManagedDomainCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.add }
    package let domain: ManagedDomain

    package init(domain: ManagedDomain) { self.domain = domain }

    package static let schema = Schema(Self.init, Field(0, \.domain))
}

/// A request to add a domain and to fill it with the files in a local directory.
package struct ImportManagedDomainCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.importDomain }
    package let domain: ManagedDomain
    /// The path of the local directory with the files.
    package let path: String

    package init(domain: ManagedDomain, path: String) {
        self.domain = domain
        self.path = path
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.path))
}

/// A request to remove one domain of the provider, or all of them.
package struct RemoveManagedDomainsCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.remove }
    /// The identifier of the domain; `nil` for all domains.
    package let identifier: String?

    package init(identifier: String?) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))

    package struct Value: SchemaMessage {
        /// The path of the directory to which edits were copied because they were not uploaded; `nil` if there were
        /// none.
        package let edits: String?

        package init(edits: String?) { self.edits = edits }

        package static let schema = Schema(Self.init, Field(0, \.edits))
    }
}

/// A request to signal to the engine that a container has changes.
package struct ManagerSignalCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.signal }
    /// The identifier of the domain; `nil` for those domains of the provider that the user, not a program, added.
    package let domain: String?
    package let container: String

    package init(domain: String?, container: String) {
        self.domain = domain
        self.container = container
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.container))
}

/// A request to signal to the engine that the cause of a failure no longer exists.
package struct ManagerResolvedCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.resolved }
    /// The identifier of the domain; `nil` for those domains of the provider that the user, not a program, added.
    package let domain: String?
    package let failure: ProviderError

    package init(domain: String?, failure: ProviderError) {
        self.domain = domain
        self.failure = failure
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.failure))
}

/// A request to disconnect a domain from its provider, or to connect it again.
package struct ManagerDisconnectCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.disconnect }
    /// The identifier of the domain; `nil` for those domains of the provider that the user, not a program, added.
    package let domain: String?
    /// The reason for disconnecting the domain, for the user; `nil` to connect it again.
    package let reason: String?
    /// Whether the domain is connected again when the daemon is restarted.
    package let isTemporary: Bool

    /// The maximum number of bytes of a reason.
    package static let longestReason = 1000

    package init(domain: String?, reason: String?, isTemporary: Bool) {
        self.domain = domain
        self.reason = reason
        self.isTemporary = isTemporary
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.reason), Field(2, \.isTemporary))
}
