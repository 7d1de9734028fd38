import Distributed
import FileProvider
import Foundation
import Testing

/// The function that the actors at both ends of a connection serve.
@Resolvable
public protocol Asking: DistributedActor where ActorSystem == ServiceActorSystem {
    distributed func name() async throws -> String
}

distributed actor Named: Asking {
    typealias ActorSystem = ServiceActorSystem
    private let text: String

    init(_ text: String) {
        self.text = text
        actorSystem = .shared
    }

    distributed func name() async throws -> String { text }
}

/// An actor of another actor system.
private distributed actor Stranger {
    typealias ActorSystem = LocalTestingDistributedActorSystem
}

@Suite struct ListenerTests {
    /// A delegate that accepts connections, exports an actor for each, and asks each for its name.
    private final class Doorman: NSObject, NSXPCListenerDelegate, Sendable {
        let accepts: Bool
        let names: AsyncStream<String>
        private let heard: AsyncStream<String>.Continuation

        init(accepts: Bool = true) {
            self.accepts = accepts
            (names, heard) = AsyncStream.makeStream()
        }

        func listener(_ listener: NSXPCListener, shouldAcceptNewConnection newConnection: NSXPCConnection) -> Bool {
            guard accepts else { return false }
            newConnection.exportedInterface = NSXPCInterface(with: (any Asking).self)
            newConnection.exportedObject = Named("the service")
            newConnection.invalidationHandler = { [heard] in heard.yield("ended") }
            newConnection.resume()
            Task { [heard] in
                if let name = try? await newConnection.remoteActor(as: $Asking.self).name() { heard.yield(name) }
            }
            return true
        }
    }

    @Test func bothSidesOfAConnectionAreCalled() async throws {
        let doorman = Doorman()
        let listener = NSXPCListener.anonymous()
        listener.delegate = doorman
        listener.resume()
        let connection = NSXPCConnection(listenerEndpoint: listener.endpoint)
        connection.remoteObjectInterface = NSXPCInterface(with: (any Asking).self)
        connection.exportedObject = Named("the program")
        connection.resume()
        #expect(try await connection.remoteActor(as: $Asking.self).name() == "the service")
        var names = doorman.names.makeAsyncIterator()
        #expect(await names.next() == "the program")
        connection.invalidate()
        #expect(await names.next() == "ended")
        #expect(connection.exportedObject == nil)
        withExtendedLifetime((listener, doorman)) {}
    }

    @Test func aConnectionThatIsNotAcceptedEnds() async throws {
        let doorman = Doorman(accepts: false)
        let listener = NSXPCListener.anonymous()
        listener.delegate = doorman
        listener.resume()
        let connection = NSXPCConnection(listenerEndpoint: listener.endpoint)
        await withCheckedContinuation { continuation in
            connection.invalidationHandler = { continuation.resume() }
            connection.resume()
        }
        #expect(throws: ServiceCallError.self) { try connection.remoteActor(as: $Asking.self) }
        withExtendedLifetime(doorman) {}
    }

    @Test func aListenerWithoutADelegateAcceptsNothing() async {
        let listener = NSXPCListener.anonymous()
        listener.activate()
        let connection = NSXPCConnection(listenerEndpoint: listener.endpoint)
        await withCheckedContinuation { continuation in
            connection.invalidationHandler = { continuation.resume() }
            connection.resume()
        }
    }

    @Test func connectionsWaitUntilTheListenerIsResumed() async throws {
        let doorman = Doorman()
        let listener = NSXPCListener.anonymous()
        listener.delegate = doorman
        let connection = NSXPCConnection(listenerEndpoint: listener.endpoint)
        connection.resume()
        async let name = connection.remoteActor(as: $Asking.self).name()
        listener.resume()
        #expect(try await name == "the service")
        listener.invalidate()
        let late = NSXPCConnection(listenerEndpoint: listener.endpoint)
        await withCheckedContinuation { continuation in
            late.invalidationHandler = { continuation.resume() }
            late.resume()
        }
        // Accepted connections remain.
        #expect(try await connection.remoteActor(as: $Asking.self).name() == "the service")
        withExtendedLifetime(doorman) {}
    }

    @Test func anActorOfAnotherSystemIsNotExported() async {
        let connection = NSXPCConnection(listenerEndpoint: NSXPCListenerEndpoint(Named("x")))
        connection.exportedObject = Stranger(actorSystem: LocalTestingDistributedActorSystem())
        await withCheckedContinuation { continuation in
            connection.invalidationHandler = { continuation.resume() }
            connection.resume()
        }
        #expect(throws: ServiceCallError.self) { try connection.remoteActor(as: $Asking.self) }
    }

    @Test func anEndpointOfAnActorIsCalledInItsOwnProcess() async throws {
        let connection = NSXPCConnection(listenerEndpoint: NSXPCListenerEndpoint(Named("alone")))
        #expect(throws: ServiceCallError.self) { try connection.remoteActor(as: $Asking.self) }
        connection.activate()
        #expect(try await connection.remoteActor(as: $Asking.self).name() == "alone")
        connection.invalidate()
        #expect(throws: ServiceCallError.self) { try connection.remoteActor(as: $Asking.self) }
    }

    @Test func errorsOfConnectionsHaveTheCodesOfFoundation() {
        let lost = ServiceCallError.connectionLost("the other end has ended") as NSError
        #expect(lost.domain == NSCocoaErrorDomain && lost.code == NSXPCConnectionInterrupted)
        #expect(lost.localizedDescription == "The connection to the service is lost: the other end has ended.")
        #expect((ServiceCallError.noSuchActor as NSError).code == NSXPCConnectionInvalid)
        #expect((ServiceCallError.mismatch("it has other arguments") as NSError).code == NSXPCConnectionReplyInvalid)
    }
}
