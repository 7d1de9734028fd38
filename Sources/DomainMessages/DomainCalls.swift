import Conduit
import FileProviderWire
import LinuxSystem

/// The method numbers of the requests about domains. A number is never reused. Numbers below 128 belong to the daemon's
/// other services.
enum DomainMethod {
    static let list: UInt64 = 128
    static let add: UInt64 = 129
    static let remove: UInt64 = 130
    static let status: UInt64 = 131
    static let items: UInt64 = 132
    static let item: UInt64 = 133
    static let download: UInt64 = 134
    static let evict: UInt64 = 135
    static let keep: UInt64 = 136
    static let signal: UInt64 = 137
    static let retry: UInt64 = 138
    static let recents: UInt64 = 150
    static let favorites: UInt64 = 151
    static let search: UInt64 = 152
    static let setFavorite: UInt64 = 153
    static let tag: UInt64 = 154
    static let push: UInt64 = 155
    static let signIn: UInt64 = 156
    static let set: UInt64 = 157
    static let listActions: UInt64 = 158
    static let performAction: UInt64 = 159
    static let trash: UInt64 = 160
    static let trashed: UInt64 = 161
    static let untrash: UInt64 = 162
    static let describeInterface: UInt64 = 163
    static let emptyTrash: UInt64 = 164
    static let noteFailedSignIn: UInt64 = 170
    static let followStates: UInt64 = 171
    static let itemStates: UInt64 = 172
    static let keyring: UInt64 = 174
    /// The method number of a notice, not of a request.
    static let desktopSettings: UInt64 = 175
    static let searchProviders: UInt64 = 180
    static let renewProvider: UInt64 = 181
    static let setUpSignIn: UInt64 = 184
    static let describeDomain: UInt64 = 185
    static let pause: UInt64 = 186
    static let cancelTransfer: UInt64 = 187
    static let findAlerts: UInt64 = 188
    static let listAlerts: UInt64 = 189
    static let suppressAlert: UInt64 = 190
}

/// The errors of the requests about domains, as they are sent to clients. The message is meant for the user.
package enum DomainFault {
    package static let domain = "PurveyDomain"

    package enum Code: Int64, Sendable {
        case failed = 1
        case noSuchDomain = 2
        case noSuchItem = 3
        /// The domain was not removed, because edits would be lost.
        case hasEdits = 4
        /// The provider refused the password.
        case signInRefused = 5
        /// The operation is not possible, because the item is pinned.
        case kept = 6
        case noSuchAction = 7
        /// The user has cancelled the work in another program.
        case cancelled = 8
    }
}

/// A request for the list of domains.
package struct ListDomainsCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.list }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let domains: [DomainDescription]

        package init(domains: [DomainDescription]) { self.domains = domains }

        package static let schema = Schema(Self.init, Field(0, \.domains))
    }
}

/// A domain as clients of the daemon see it.
package struct DomainDescription: SchemaMessage, Equatable {
    package enum State: UInt8, Sendable, MessageValue {
        /// The domain's engine is running.
        case running = 0
        /// The domain is being started, added or removed.
        case changing = 1
        /// The domain could not be started. ``DomainDescription/fault`` has the reason.
        case failed = 2
    }

    package var name: String
    /// The identifier that the provider uses for the domain.
    package var identifier: String
    /// The identifier of the provider's extension.
    package var provider: String
    package var settings: [DomainSetting]
    /// The maximum number of bytes of clean contents in the domain's cache.
    package var cacheLimit: Int64
    package var state: State
    /// The path of the mount point; `nil` if the domain is not mounted.
    package var mount: String?
    /// The reason why the domain is not running or not mounted; `nil` if it is running and mounted.
    package var fault: String?

    package init(
        name: String, identifier: String, provider: String, settings: [DomainSetting], cacheLimit: Int64, state: State,
        mount: String?, fault: String?
    ) {
        self.name = name
        self.identifier = identifier
        self.provider = provider
        self.settings = settings
        self.cacheLimit = cacheLimit
        self.state = state
        self.mount = mount
        self.fault = fault
    }

    package static let schema = Schema(
        { Self(name: $0, identifier: $1, provider: $2, settings: $3, cacheLimit: $7, state: $4, mount: $5, fault: $6) },
        Field(0, \.name), Field(1, \.identifier), Field(2, \.provider), Field(3, \.settings), Field(4, \.state),
        Field(5, \.mount), Field(6, \.fault), Field(7, \.cacheLimit))
}

/// A request to add a domain. The reply comes when the domain can be used. If the request fails, nothing has changed.
package struct AddDomainCall: Call, SchemaMessage {
    package typealias Reply = DomainDescription
    package static var method: UInt64 { DomainMethod.add }
    /// The identifier or the name of the extension.
    package let provider: String
    package let name: String
    package let settings: [DomainSetting]
    /// The password for the first sign-in; `nil` if the client has none.
    package let password: String?
    /// The socket over which the provider's set-up asks the user for input; `nil` if the client cannot ask the user.
    package let questions: FileDescriptor?

    package init(
        provider: String, name: String, settings: [DomainSetting], password: String? = nil,
        questions: FileDescriptor? = nil
    ) {
        self.provider = provider
        self.name = name
        self.settings = settings
        self.password = password
        self.questions = questions
    }

    package static let schema = Schema(
        Self.init, Field(0, \.provider), Field(1, \.name), Field(2, \.settings), Field(3, \.password),
        Field(4, \.questions))
}

/// A request to change settings of a domain. Settings that are not in the request stay unchanged. An empty value
/// removes a setting. The provider first checks its own settings. If the check fails, nothing has changed.
package struct SetDomainCall: Call, SchemaMessage {
    package typealias Reply = DomainDescription
    package static var method: UInt64 { DomainMethod.set }
    package let name: String
    package let settings: [DomainSetting]
    /// The socket over which the provider's set-up asks the user for input; `nil` if the client cannot ask the user.
    package let questions: FileDescriptor?

    package init(name: String, settings: [DomainSetting], questions: FileDescriptor? = nil) {
        self.name = name
        self.settings = settings
        self.questions = questions
    }

    package static let schema = Schema(
        Self.init, Field(0, \.name), Field(1, \.settings), Field(2, \.questions))
}

/// A request to remove a domain from this machine. The items at the provider are not removed.
package struct RemoveDomainCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.remove }
    package let name: String
    /// Whether to copy edits that were not uploaded to another directory before the domain is removed. If `false`, a
    /// domain with such edits is not removed.
    package let keepsEdits: Bool

    package init(name: String, keepsEdits: Bool) {
        self.name = name
        self.keepsEdits = keepsEdits
    }

    package static let schema = Schema(Self.init, Field(0, \.name), Field(1, \.keepsEdits))

    package struct Reply: SchemaMessage {
        /// The path of the directory to which the edits were copied; `nil` if there were none.
        package let edits: String?

        package init(edits: String?) { self.edits = edits }

        package static let schema = Schema(Self.init, Field(0, \.edits))
    }
}

/// A request to signal to the engine of a domain that a container has changes.
package struct SignalDomainCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.signal }
    package let name: String
    /// The identifier of the container; `nil` if any container may have changes.
    package let container: String?

    package init(name: String, container: String?) {
        self.name = name
        self.container = container
    }

    package static let schema = Schema(Self.init, Field(0, \.name), Field(1, \.container))
}

/// A request to retry the failed operations of a domain. If the domain could not be started, it is started again.
package struct RetryDomainCall: Call, SchemaMessage {
    package typealias Reply = DomainDescription
    package static var method: UInt64 { DomainMethod.retry }
    package let name: String

    package init(name: String) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))
}

/// A request to sign in to the service of a domain. Work that waits for the sign-in then continues.
package struct SignInDomainCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.signIn }
    package let name: String
    package let password: String

    package init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    package static let schema = Schema(Self.init, Field(0, \.name), Field(1, \.password))
}

/// A request to end the processes of a provider whose bundle was installed again. The next request to this provider
/// starts the new version.
package struct RenewProviderCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.renewProvider }
    /// The identifier of the provider's extension.
    package let provider: String

    package init(provider: String) { self.provider = provider }

    package static let schema = Schema(Self.init, Field(0, \.provider))
}
