import Conduit
import ItemValues

/// A request for the state that the provider reports for its whole domain.
package struct ProviderStateCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderDomainState
    package typealias Reply = ProviderReply<ProviderDomainState>
    package static var method: UInt64 { 61 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// The state that a provider reports for its whole domain: `NSFileProviderDomainState`.
package struct ProviderDomainState: SchemaMessage, Equatable {
    /// The domain version, at least 0. It changes whenever ``userInfo`` changes.
    package let version: Int64
    /// Values for the activation rules of the provider's actions.
    package let userInfo: [String: ProviderItem.UserInfoValue]

    package init(version: Int64, userInfo: [String: ProviderItem.UserInfoValue]) {
        self.version = version
        self.userInfo = userInfo
    }

    package static let schema = Schema(
        { ProviderDomainState(version: $0, userInfo: $1.byName) }, Field(0, \ProviderDomainState.version),
        Field(1, { [ProviderItem.UserInfoEntry]($0.userInfo) })
    ).checked { state throws(MessageError) in
        guard state.version >= 0 else { throw .invalid("a version of \(state.version)") }
        guard ProviderItem.size(of: state.userInfo) <= ProviderItem.longestUserInfo else {
            throw .invalid("a domain with more than \(ProviderItem.longestUserInfo) bytes of userInfo")
        }
    }
}

extension ProviderDomainState {
    /// The keys of two values in ``userInfo``: the number of bytes that can still be stored at the service, and the
    /// number of bytes that are stored there.
    package static let quotaAvailableKey = "quotaAvailableBytes"
    package static let quotaUsedKey = "quotaUsedBytes"

    /// The number of bytes that can still be stored at the service; `nil` if there is no limit, or if the provider does
    /// not report it.
    package var quotaAvailable: UInt64? { bytes(Self.quotaAvailableKey) }
    /// The number of bytes that are stored at the service; `nil` if the provider does not report it.
    package var quotaUsed: UInt64? { bytes(Self.quotaUsedKey) }

    private func bytes(_ key: String) -> UInt64? {
        guard case .number(let number)? = userInfo[key], number >= 0, number < Double(Int64.max) else { return nil }
        return UInt64(number)
    }
}
