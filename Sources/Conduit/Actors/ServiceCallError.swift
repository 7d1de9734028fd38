import Distributed
import Foundation

/// The reason why a call of a service was not made, or why its outcome is unknown.
public enum ServiceCallError: DistributedActorSystemError, LocalizedError, Hashable, CustomStringConvertible {
    /// The connection to the service ended. The call may have been carried out.
    case connectionLost(String)
    /// The arguments or the reply are larger than the maximum size of a message.
    case tooLarge(String)
    /// The connection has reached the maximum number of calls that wait for a reply.
    case tooManyCalls(limit: Int)
    /// The function is generic.
    case genericFunction
    /// An argument or the result is an actor.
    case actorAsValue
    /// The actor does not exist any more.
    case noSuchActor
    /// The service does not have the called function, or the function has other arguments. The reason is that the two
    /// sides were built with different versions of the protocol.
    case mismatch(String)

    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .connectionLost(let reason): "The connection to the service is lost: \(reason)."
        case .tooLarge(let words): "The service cannot be called with that much: \(words)."
        case .tooManyCalls(let limit): "\(limit) calls of the service wait for their answers already."
        case .genericFunction: "Functions of services are not generic."
        case .actorAsValue: "Actors are neither arguments nor results of services."
        case .noSuchActor: "There is no such actor any more."
        case .mismatch(let words): "The service does not have that function: \(words)."
        }
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }
}

/// The domain and the codes with which Foundation reports errors of connections.
extension ServiceCallError: CustomNSError {
    /// The domain `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }

    /// The code of Foundation that is most similar to the error, such as `NSXPCConnectionInterrupted`.
    public var errorCode: Int {
        switch self {
        case .connectionLost: NSXPCConnectionInterrupted
        case .noSuchActor: NSXPCConnectionInvalid
        case .tooLarge, .tooManyCalls, .genericFunction, .actorAsValue, .mismatch: NSXPCConnectionReplyInvalid
        }
    }

    /// The user info, in which ``description`` is the localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
