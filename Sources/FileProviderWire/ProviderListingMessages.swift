import Conduit
import ItemValues
import LinuxSystem

/// The limits that apply to the connection between the engine and an extension's process.
package enum ProviderWire {
    /// The maximum number of bytes of a page token or a sync anchor.
    package static let longestToken = 500
    /// The maximum ratio of the number of items in a page to the suggested number.
    package static let pageFactor = 100
    /// The limits of a connection. A message can be as large as the largest page.
    package static let limits = ConnectionLimits(messageSize: 64 << 20)
    /// The version of the protocol. A process with another version is rejected.
    package static let version: UInt64 = 1
}

/// The first request to an extension's process. It has the parameters of the domain that the process serves. The
/// process replies when it has created the provider's principal object.
package struct BeginProviderCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 1 }
    /// The version of the protocol, ``ProviderWire/version``.
    package let version: UInt64
    /// The domain's identifier; empty for the default domain.
    package let domain: String
    /// The domain's display name.
    package let displayName: String
    /// The path of the directory of the provider's documents, which all of the provider's domains share.
    package let storage: String
    /// The path of the domain's directory inside ``storage``.
    package let domainFolder: String
    /// The path of a directory for temporary files. It is emptied when a process starts.
    package let temporary: String
    /// The path of the folder to which the user gave the provider access; `nil` if there is none.
    package let path: String?
    /// The time limit of a request that transfers no contents, in seconds.
    package let answerTime: Double
    /// The time limit of a transfer without progress, in seconds.
    package let transferTime: Double
    /// The bundle identifier of the extension.
    package let bundleIdentifier: String
    /// The user info that a program set for the domain, as a property list; `nil` if none was set.
    package let userInfo: [UInt8]?
    /// The path of the directory in which the provider stores its own state of the domain. It is created when the
    /// provider first needs it. `nil` if the domain has no such directory.
    package let state: String?

    package init(
        version: UInt64, domain: String, displayName: String, storage: String, domainFolder: String,
        temporary: String, path: String?, answerTime: Double, transferTime: Double, bundleIdentifier: String,
        userInfo: [UInt8]? = nil, state: String? = nil
    ) {
        self.version = version
        self.domain = domain
        self.displayName = displayName
        self.storage = storage
        self.domainFolder = domainFolder
        self.temporary = temporary
        self.path = path
        self.answerTime = answerTime
        self.transferTime = transferTime
        self.bundleIdentifier = bundleIdentifier
        self.userInfo = userInfo
        self.state = state
    }

    package static let schema = Schema(
        {
            (
                version: UInt64, names: (String, String), folders: (String, String, String), path: String?,
                times: (Double, Double), bundleIdentifier: String, userInfo: [UInt8]?, state: String?
            ) in
            BeginProviderCall(
                version: version, domain: names.0, displayName: names.1, storage: folders.0, domainFolder: folders.1,
                temporary: folders.2, path: path, answerTime: times.0, transferTime: times.1,
                bundleIdentifier: bundleIdentifier, userInfo: userInfo, state: state)
        },
        Field(0, \BeginProviderCall.version), group(Field(1, \.domain), Field(2, \.displayName)),
        group(Field(3, \.storage), Field(4, \.domainFolder), Field(5, \.temporary)), Field(6, \.path),
        group(Field(7, \.answerTime), Field(8, \.transferTime)), Field(9, \.bundleIdentifier),
        Field(10, bytes: \.userInfo), Field(11, \.state))
}

/// A request for the current metadata of an item.
package struct ProviderItemCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 2 }
    package let identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// A request for one page of a container's items.
package struct ProviderPageCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderPage
    package typealias Reply = ProviderReply<ProviderPage>
    package static var method: UInt64 { 3 }
    package let container: String
    /// The token of the requested page; `nil` for the first page.
    package let page: [UInt8]?
    package let suggestedSize: Int

    package init(container: String, page: [UInt8]?, suggestedSize: Int) {
        self.container = container
        self.page = page
        self.suggestedSize = suggestedSize
    }

    package static let schema = Schema(
        Self.init, Field(0, \.container), Field(1, bytes: \.page), Field(2, \.suggestedSize))
}

/// A page of a container's items. ``next`` is the token of the next page; `nil` if this page is the last.
package struct ProviderPage: SchemaMessage {
    package let items: [ProviderItem]
    package let next: [UInt8]?

    package init(items: [ProviderItem], next: [UInt8]?) {
        self.items = items
        self.next = next
    }

    package static let schema = Schema(Self.init, Field(0, \.items), Field(1, bytes: \.next))
}

/// A request for the current sync anchor of a container.
package struct ProviderAnchorCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderAnchor
    package typealias Reply = ProviderReply<ProviderAnchor>
    package static var method: UInt64 { 4 }
    package let container: String

    package init(container: String) {
        self.container = container
    }

    package static let schema = Schema(Self.init, Field(0, \.container))
}

/// The sync anchor of a container; `nil` if the container has none.
package struct ProviderAnchor: SchemaMessage {
    package let anchor: [UInt8]?

    package init(anchor: [UInt8]?) {
        self.anchor = anchor
    }

    package static let schema = Schema(Self.init, Field(0, bytes: \.anchor))
}

/// A request for the changes of a container since a sync anchor.
package struct ProviderChangesCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderChanges
    package typealias Reply = ProviderReply<ProviderChanges>
    package static var method: UInt64 { 5 }
    package let container: String
    package let anchor: [UInt8]
    package let suggestedSize: Int

    package init(container: String, anchor: [UInt8], suggestedSize: Int) {
        self.container = container
        self.anchor = anchor
        self.suggestedSize = suggestedSize
    }

    package static let schema = Schema(
        Self.init, Field(0, \.container), Field(1, bytes: \.anchor), Field(2, \.suggestedSize))
}

/// A batch of changes. If the provider reported an item both as updated and as deleted, the batch has only the last
/// report.
package struct ProviderChanges: SchemaMessage {
    package let updated: [ProviderItem]
    package let deleted: [String]
    package let anchor: [UInt8]
    package let moreComing: Bool

    package init(updated: [ProviderItem], deleted: [String], anchor: [UInt8], moreComing: Bool) {
        self.updated = updated
        self.deleted = deleted
        self.anchor = anchor
        self.moreComing = moreComing
    }

    package static let schema = Schema(
        Self.init, Field(0, \.updated), Field(1, \.deleted), Field(2, bytes: \.anchor), Field(3, \.moreComing))
}
