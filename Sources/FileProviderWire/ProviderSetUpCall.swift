import Conduit

/// A request to set up a domain. It is sent to a process that was started only for the set-up of this domain.
package struct ProviderSetUpCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderSetUp
    package typealias Reply = ProviderReply<ProviderSetUp>
    package static var method: UInt64 { 35 }
    package let purpose: SetUpPurpose
    /// The domain's settings as the user entered them.
    package let settings: [DomainSetting]

    package init(purpose: SetUpPurpose, settings: [DomainSetting]) {
        self.purpose = purpose
        self.settings = settings
    }

    package static let schema = Schema(Self.init, Field(0, \.purpose), Field(1, \.settings))
}

/// The purpose of a set-up. The raw values are those of `FileProviderSetup.Purpose`.
package enum SetUpPurpose: Int, Sendable, MessageValue {
    case adding = 0
    case changing = 1
    case signingIn = 2
}

/// The result of a set-up.
package struct ProviderSetUp: SchemaMessage, Equatable {
    /// Whether the provider supports setting up domains. If `false`, the settings were not checked.
    package let isServed: Bool
    /// The domain's settings, with the changes that the provider made.
    package let settings: [DomainSetting]

    /// The maximum number of bytes of all settings together. They are sent to each process of the provider when it
    /// starts.
    private static let longestSettings = 64 << 10

    package init(isServed: Bool, settings: [DomainSetting]) {
        self.isServed = isServed
        self.settings = settings
    }

    package static let schema = Schema(Self.init, Field(0, \.isServed), Field(1, \.settings))
        .checked { result throws(MessageError) in
            let size = result.settings.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 16 }
            guard size <= longestSettings else { throw .invalid("\(size) bytes of settings") }
            guard Set(result.settings.map(\.key)).count == result.settings.count,
                result.settings.allSatisfy({ !$0.key.isEmpty && !$0.key.contains("=") })
            else { throw .invalid("a setting without a name of its own") }
        }
}

/// A request to find out whether the provider supports setting up domains. The reply has no settings.
package struct ProviderSetsUpCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderSetUp
    package typealias Reply = ProviderReply<ProviderSetUp>
    package static var method: UInt64 { 37 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// A request for the lines in which the provider describes the domain's service. See `FileProviderDescribing`.
package struct ProviderFindingsCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderFindings
    package typealias Reply = ProviderReply<ProviderFindings>
    package static var method: UInt64 { 36 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// The lines in which a provider that conforms to `FileProviderDescribing` describes its service.
package struct ProviderFindings: SchemaMessage, Equatable {
    package let lines: [String]

    /// The maximum number of lines, and the maximum number of bytes of one line. Further lines are left out, and longer
    /// lines are truncated.
    private static let mostLines = 100
    private static let longestLine = 1_000

    package init(lines: [String]) {
        self.lines = lines.prefix(Self.mostLines).map {
            $0.utf8.count <= Self.longestLine ? $0 : String(decoding: $0.utf8.prefix(Self.longestLine), as: UTF8.self)
        }
    }

    package static let schema = Schema(Self.init, Field(0, \.lines))
}

/// A setting of a domain, with the value that the user entered. Either the provider defines the setting, such as a
/// folder or a server, or Purvey defines it.
package struct DomainSetting: SchemaMessage, Equatable {
    package let key: String
    package let value: String

    /// The key of the folder to which the user gives the provider access. The provider can access no other files of the
    /// user.
    package static let path = "path"
    /// The key of the cache limit, whose value is a ``ByteCount``. It is not passed to the provider.
    package static let cache = "cache"
    /// The key of the setting for metered networks, whose value is one of ``meteredValues``. It is not passed to the
    /// provider.
    package static let metered = "metered"
    /// The values of the setting ``metered``. With `wait`, the default, background transfers wait for a network that is
    /// not metered. With `use`, they do not wait for one.
    package static let meteredValues = ["wait", "use"]
    /// The keys that are not passed to the provider, each with a phrase that explains it to the user.
    package static let own = [
        (key: cache, meaning: "how much may be on this machine"),
        (key: metered, meaning: "wait or use: background transfers on a metered network"),
    ]

    /// Whether Purvey defines the setting. If so, it is not passed to the provider.
    package var isOwn: Bool { Self.own.contains { $0.key == key } }

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    package static let schema = Schema(Self.init, Field(0, \.key), Field(1, \.value))
}

/// A request to sign in to the provider's service with a password.
package struct ProviderSignInCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 32 }
    package let password: String

    package init(password: String) {
        self.password = password
    }

    package static let schema = Schema(Self.init, Field(0, \.password))
}
