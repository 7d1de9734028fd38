import Conduit
import ItemValues

/// A request for the provider's state of its whole domain.
package struct ProviderStateCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderDomainState
    package typealias Reply = ProviderReply<ProviderDomainState>
    package static var method: UInt64 { 61 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// A provider's state of its whole domain: `NSFileProviderDomainState`.
package struct ProviderDomainState: Message, Equatable {
    /// The domain version, at least 0. If ``userInfo`` differs, the version differs, too.
    package let version: Int64
    /// Values for the activation rules of the provider's actions.
    package let userInfo: [String: ProviderItem.UserInfoValue]

    package init(version: Int64, userInfo: [String: ProviderItem.UserInfoValue]) {
        self.version = version
        self.userInfo = userInfo
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        version = try decoder.decode(forKey: 0)
        let entries: [ProviderItem.UserInfoEntry] = try decoder.decode(forKey: 1)
        userInfo = Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
        guard version >= 0 else { throw .invalid("a version of \(version)") }
        guard ProviderItem.size(of: userInfo) <= ProviderItem.longestUserInfo else {
            throw .invalid("a domain with more than \(ProviderItem.longestUserInfo) bytes of userInfo")
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(version, forKey: 0)
        let entries = userInfo.sorted { $0.key < $1.key }
        encoder.encode(entries.map { ProviderItem.UserInfoEntry(name: $0.key, value: $0.value) }, forKey: 1)
    }
}
