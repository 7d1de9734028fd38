@_exported import Conduit
import Distributed
import Foundation
import LinuxSystem

/// The entrance to a service: a distributed actor that a provider vends, or a listener whose delegate gives one to each connection.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCListenerEndpoint: NSObject, Sendable {
    typealias Serving =
        @Sendable (
            _ socket: FileDescriptor, _ ended: @escaping @Sendable () -> Void
        ) throws(Errno) -> @Sendable () -> Void

    /// Serves the actor over a socket until the other side closes it. Gives what ends it.
    let serve: Serving

    /// An endpoint of an actor, which lives for as long as somebody is connected.
    public init<Act: DistributedActor>(_ actor: Act) where Act.ActorSystem == ServiceActorSystem {
        serve = { socket, ended throws(Errno) in
            try ServiceActorSystem.shared.serve(actor, over: socket, describe: { ServiceFailure.of($0) }, ended: ended)
        }
        super.init()
    }

    /// Makes a socket at whose other end this process serves.
    func connect() throws(Errno) -> FileDescriptor {
        let (near, far) = try SequencedPacketSocket.pair()
        // The service ends when the near end is closed.
        _ = try serve(far.descriptor) {}
        return near.descriptor
    }

    /// An endpoint of a listener.
    init(_ listener: NSXPCListener) {
        serve = { socket, ended throws(Errno) in listener.take(socket, ended) }
        super.init()
    }
}

/// Errors that services throw, on their way between processes.
enum ServiceFailure {
    static func of(_ error: any Error) -> RemoteFailure {
        let failure = ProviderFailure(error)
        let known = error as NSError
        return RemoteFailure(domain: known.domain, code: Int64(known.code), message: failure.message)
    }

    static func error(_ failure: RemoteFailure) -> any Error {
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
