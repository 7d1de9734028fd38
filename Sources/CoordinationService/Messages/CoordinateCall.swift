import Conduit

/// What a process says first. A daemon that knows nothing of coordination, because it is older than the process and has not
/// ended yet, refuses it; the notices that follow it would ignore.
package struct CoordinateCall: Call {
    package typealias Reply = Empty
    /// Above the numbers of the exchange's and the extensions' calls, which are served at the same socket.
    package static var method: UInt64 { 96 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}
