import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

@Suite(.serialized) struct ManyTests {
    @Test func aThousandLoadsAtOnceArrive() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board data public.png 6000", "offered")
            let item = try #require(try await daemon.board().items().first)
            let outcomes = (0..<1_000).map { _ in Outcome() }
            for outcome in outcomes {
                item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            }
            let expected = pattern(6_000)
            for outcome in outcomes { #expect(try await outcome.value() == expected) }
            // Each load ran the handler once.
            await eventually { provider.unheard.count { $0 == "handler called" } == 1_000 }
        }
    }

    @Test func aThousandLoadsAtOnceThatAreCancelledEndAndLeaveTheProviderServing() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board slow public.png", "offered")
            let item = try #require(try await daemon.board().items().first)
            let outcomes = (0..<1_000).map { _ in Outcome() }
            let progresses = outcomes.map { outcome in
                item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            }
            for progress in progresses { progress.cancel() }
            for outcome in outcomes {
                await #expect(throws: CocoaError.self) { try await outcome.value() }
            }
            let last = Outcome()
            item.loadDataRepresentation(forTypeIdentifier: "public.png") { last.set($0, $1) }
            await eventually {
                provider.tell("finish")
                return last.count == 1
            }
            #expect(try await last.value() == Data("done".utf8))
        }
    }

    /// 100,000 offers that are made and withdrawn leave neither the daemon nor the provider larger than before.
    @Test func offersMadeAndWithdrawnLeaveNothingBehind() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            // State that is created once and kept is not growth.
            _ = try await provider.ask("churn board 4000", "churned")
            let before = try Footprint(of: daemon.processID)
            let growth = try await provider.ask("churn board 96000", "churned", within: 500)
                .split(separator: " ").compactMap { Int($0) }
            let after = try Footprint(of: daemon.processID)
            #expect(growth.count == 2)
            #expect(growth[0] <= 2, "descriptors of the provider")
            // A leaked item would take at least half a kilobyte, which makes 48 MB in all.
            #expect(growth[1] < 24_000, "kilobytes of the provider")
            #expect(after.descriptors - before.descriptors <= 2)
            #expect(after.kilobytes - before.kilobytes < 24_000)
            #expect(try await daemon.client.call(StatusCall()).offers == 0)
        }
    }

    @Test func socketsOfItemsThatAreForgottenAreClosed() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board data public.png 10", "offered")
            func openOne() async throws {
                let item = try #require(try await daemon.board().items().first)
                #expect(try await item.loadDataRepresentation(for: .png).count == 10)
            }
            try await openOne()
            let daemonBefore = try Footprint(of: daemon.processID).descriptors
            let providerBefore = try Footprint(of: provider.processID).descriptors
            for _ in 0..<300 { try await openOne() }
            await eventually {
                guard let provider = try? Footprint(of: provider.processID) else { return false }
                return provider.descriptors <= providerBefore + 2
            }
            await eventually {
                guard let daemon = try? Footprint(of: daemon.processID) else { return false }
                return daemon.descriptors <= daemonBefore + 2
            }
        }
    }

    @Test func moreItemsThanAProcessHasDescriptorsAreLoaded() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, consumer) = (try daemon.peer(), try daemon.peer())
            _ = try await provider.ask("limit 512", "limited")
            _ = try await consumer.ask("limit 256", "limited")
            _ = try await provider.ask("offermany board 600", "offered")
            #expect(try await consumer.ask("loadmany board", "loaded") == "600 600")
        }
    }

    @Test func aLongBoardIsListedWhole() async throws {
        try await PrivateDaemon.run { daemon in
            let board = daemon.board("long")
            var offers: [Offer] = []
            // More items than fit in one page.
            for number in 0..<1_500 {
                let provider = NSItemProvider()
                provider.suggestedName = "\(number) " + String(repeating: "n", count: 400)
                provider.registerDataRepresentation(for: .png) { completion in
                    completion(Data(), nil)
                    return nil
                }
                offers.append(try await board.offer(provider))
            }
            let items = try await board.items()
            #expect(items.count == 1_500)
            let numbers: [Int] = items.compactMap { item in
                guard let name = item.suggestedName else { return nil }
                return Int(name.prefix { $0 != " " })
            }
            #expect(numbers == Array(0..<1_500))
        }
    }
}

/// The resources that a process uses.
struct Footprint {
    let descriptors: Int
    let kilobytes: Int

    init(of processID: pid_t) throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        kilobytes = Int(line.filter(\.isNumber)) ?? 0
    }
}
