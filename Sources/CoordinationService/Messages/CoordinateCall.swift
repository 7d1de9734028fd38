import Conduit

/// The first call of a client. A daemon that is too old to know coordination refuses this call, whereas it would
/// ignore the notices that follow.
package struct CoordinateCall: Call, SchemaMessage {
    package typealias Reply = Empty
    /// The number of the call. It is greater than those of the exchange's and the extensions' calls, which are served
    /// on the same socket.
    package static var method: UInt64 { 96 }

    package init() {}
    package static let schema = Schema(Self.init)
}
