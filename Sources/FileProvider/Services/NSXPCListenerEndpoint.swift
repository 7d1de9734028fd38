@_exported import Conduit
import Distributed
import FileProviderWire
import Foundation
import LinuxSystem

/// An endpoint of a service: a distributed actor of a provider, or a listener whose delegate exports an actor to each
/// connection.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCListenerEndpoint: NSObject, Sendable {
    typealias Serving =
        @Sendable (
            _ socket: FileDescriptor, _ ended: @escaping @Sendable () -> Void
        ) throws(Errno) -> @Sendable () -> Void

    /// A closure that serves the actor over a socket until the other side closes the socket. It returns another
    /// closure, which ends the serving.
    let serve: Serving

    /// Creates an endpoint of an actor. The actor is retained while any program is connected.
    public init<Act: DistributedActor>(_ actor: Act) where Act.ActorSystem == ServiceActorSystem {
        serve = { socket, ended throws(Errno) in
            try ServiceActorSystem.shared.serve(actor, over: socket, describe: { ServiceFailure.of($0) }, ended: ended)
        }
        super.init()
    }

    /// Returns a socket at whose other end this process serves the endpoint's actor.
    func connect() throws(Errno) -> FileDescriptor {
        let (near, far) = try SequencedPacketSocket.pair()
        // The service ends when the near end is closed.
        _ = try serve(far.descriptor) {}
        return near.descriptor
    }

    /// Creates an endpoint of a listener.
    init(_ listener: NSXPCListener) {
        serve = { socket, ended throws(Errno) in listener.take(socket, ended) }
        super.init()
    }
}

/// The conversion between the errors that services throw and their message form.
enum ServiceFailure {
    static func of(_ error: any Error) -> RemoteError {
        let failure = ProviderError(error)
        let known = error as NSError
        return RemoteError(domain: known.domain, code: Int64(known.code), message: failure.message)
    }

    static func error(_ failure: RemoteError) -> any Error {
        let userInfo = [NSLocalizedDescriptionKey: failure.message]
        let code = Int(failure.code)
        switch failure.domain {
        case NSFileProviderErrorDomain:
            if let code = NSFileProviderError.Code(rawValue: code) {
                return NSFileProviderError(code, userInfo: userInfo)
            }
        case NSCocoaErrorDomain: return CocoaError(CocoaError.Code(rawValue: code), userInfo: userInfo)
        default: break
        }
        return NSError(domain: failure.domain, code: code, userInfo: userInfo)
    }
}
