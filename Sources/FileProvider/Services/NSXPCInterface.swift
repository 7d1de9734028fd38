import Foundation

/// The interface of an object at one end of a connection: its protocol.
///
/// The class exists for programs that create interfaces. It has no effect: without Objective-C, a protocol has no
/// information about its functions at run time, and only the distributed functions of an actor can be called.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCInterface: NSObject, Sendable {
    /// The protocol, such as `(any Counting).self`.
    public let `protocol`: Any.Type

    /// Creates an interface for a protocol, such as `(any Counting).self`.
    public init(with protocol: Any.Type) {
        self.protocol = `protocol`
        super.init()
    }
}
