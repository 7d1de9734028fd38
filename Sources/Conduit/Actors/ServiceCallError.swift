import Distributed
import Foundation

/// Why a service was not called, or why nobody knows whether it was.
public enum ServiceCallError: DistributedActorSystemError, LocalizedError, Hashable, CustomStringConvertible {
    /// The connection to the service has ended. The call may have been carried out.
    case connectionLost(String)
    /// The arguments, or the answer, have more bytes than one message may have.
    case tooLarge(String)
    /// More calls wait for their answers than one connection may have.
    case tooManyCalls(limit: Int)
    /// The function is generic.
    case genericFunction
    /// An actor is among the arguments or in the answer.
    case actorAsValue
    /// There is no such actor any more.
    case noSuchActor
    /// The service has no such function, or one with other arguments: the two sides have not been built with the same protocol.
    case mismatch(String)

    /// One sentence.
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

    /// The same sentence.
    public var errorDescription: String? { description }
}
