import Foundation

/// The interface of an object at one end of a connection, by its protocol.
///
/// Kept for the sake of programs that make one. Without Objective-C a protocol says nothing of its functions when the program
/// runs: what can be called are the distributed functions of an actor.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCInterface: NSObject, Sendable {
    /// The protocol, such as `(any Counting).self`.
    public let `protocol`: Any.Type

    /// An interface of a protocol, such as `(any Counting).self`.
    public init(with protocol: Any.Type) {
        self.protocol = `protocol`
        super.init()
    }
}
