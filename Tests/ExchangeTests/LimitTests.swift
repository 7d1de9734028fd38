import Conduit
import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Synchronization
import Testing

@Suite struct LimitTests {
    @Test func thousandsOfOffersAtOnceTakeTheirTurns() async throws {
        try await PrivateDaemon.run { daemon in
            let board = daemon.board("crowd")
            let offers = Collected<Result<Offer, any Error>>()
            // More calls than a connection allows at a time.
            let count = 6_000
            for _ in 0..<count {
                let provider = NSItemProvider()
                provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
                    completion(Data(), nil)
                    return nil
                }
                board.offer(provider) { result in offers.values.withLock { $0.append(result) } }
            }
            await eventually { offers.values.withLock { $0.count } == count }
            let refused = offers.values.withLock { $0.count { (try? $0.get()) == nil } }
            #expect(refused == 0)
            let status = try await daemon.client.call(StatusCall())
            #expect(status.offers == count)
            // Offers end when they are released.
            offers.values.withLock { $0 = [] }
            await eventually { (try? await daemon.client.call(StatusCall()).offers) == 0 }
        }
    }

    @Test func oneProcessOffersOnlySoMuch() async throws {
        var limits = ExchangeLimits()
        limits.offersPerConnection = 2
        limits.representationsPerOffer = 1
        try await PrivateService.run(limits) { client in
            let board = Board("board", client: client)
            func item(_ types: String...) -> NSItemProvider {
                let provider = NSItemProvider()
                for type in types {
                    provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                        completion(Data(), nil)
                        return nil
                    }
                }
                return provider
            }
            let first = try await board.offer(item("public.png"))
            let second = try await board.offer(item("public.png"))
            await #expect(throws: ExchangeError.refused("one process offers at most 2 items at a time")) {
                try await board.offer(item("public.png"))
            }
            await second.withdraw()
            await #expect(throws: ExchangeError.refused("an item has at most 1 representations")) {
                try await board.offer(item("public.png", "public.jpeg"))
            }
            let third = try await board.offer(item("public.png"))
            #expect(try await board.items().count == 2)
            await first.withdraw()
            await third.withdraw()
        }
    }

    @Test func onlySoManyWaitForAProviderThatDoesNotAnswer() async throws {
        var limits = ExchangeLimits()
        limits.opensInFlight = 1
        limits.opensWaiting = 2
        try await PrivateService.run(limits) { client in
            let provider = try PeerProcess(
                TestProcess.program("ExchangePeer"), environment: TestProcess.environment(home: client.home))
            let identifier = try #require(
                UUID(uuidString: try await provider.ask("offer board data public.png 3", "offered")))
            try provider.stop()
            let sockets = Collected<Result<OpenCall.Reply, ExchangeError>>()
            for _ in 0..<4 {
                Task {
                    let result: Result<OpenCall.Reply, ExchangeError>
                    do throws(ExchangeError) {
                        result = .success(try await client.call(OpenCall(identifier: identifier)))
                    } catch {
                        result = .failure(error)
                    }
                    sockets.values.withLock { $0.append(result) }
                }
            }
            // One socket is in flight to the provider, and its consumer has the other end already. Two requests wait,
            // and the fourth exceeds the limit.
            await eventually { sockets.values.withLock { $0.count } == 2 }
            let failures = sockets.values.withLock { $0.filter { (try? $0.get()) == nil } }
            #expect(failures.count == 1)
            if case .failure(let error) = failures.first {
                #expect("\(error)".contains("does not answer"))
            }
            provider.signal(SIGCONT)
            await eventually { sockets.values.withLock { $0.count } == 4 }
            let opened = sockets.values.withLock { $0.count { (try? $0.get()) != nil } }
            #expect(opened == 3)
            await provider.end()
        }
    }
}

/// The results that callbacks have delivered so far.
private final class Collected<Value: Sendable>: Sendable {
    let values = Mutex<[Value]>([])
}
