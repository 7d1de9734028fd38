import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

@Suite struct PasteboardTests {
    private func contents(_ daemon: PrivateDaemon) async throws -> Data {
        let item = try #require(try await daemon.board("general").items().first)
        return try await item.loadDataRepresentation(for: .png)
    }

    @Test func fulfilledPromisesOutliveTheirProcess() async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/picture.png"
            try pattern(300_000).write(to: URL(fileURLWithPath: file))
            for scenario in ["data public.png 300000", "file public.png \(file)", "inplace public.png \(file)"] {
                let provider = try daemon.peer()
                _ = try await provider.ask("fulfil general \(scenario)", "replaced")
                provider.signal(SIGKILL)
                _ = await provider.wait()
                for _ in 0..<2 { #expect(try await contents(daemon) == pattern(300_000)) }
            }
            // The load is still in place, because the file has not moved.
            let item = try #require(try await daemon.board("general").items().first)
            try await item.loadFileRepresentation(for: .png, openInPlace: true) { url, isInPlace in
                #expect(isInPlace)
                #expect(url.path == file)
            }
            // The contents remain complete after the file was removed.
            unlink(file)
            #expect(try await contents(daemon) == pattern(300_000))
        }
    }

    @Test func aProcessThatEndsInGoodOrderFulfilsFirst() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("replace general data public.png 70000", "replaced")
            #expect(provider.unheard.isEmpty, "nothing is produced before it is needed")
            #expect(await provider.quit() == .exited(0))
            #expect(try await contents(daemon) == pattern(70_000))
        }
    }

    @Test func aProcessThatIsKilledTakesItsPromisesWithIt() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            _ = try await provider.ask("replace general data public.png 70000", "replaced")
            await provider.end()
            await eventually { (try? await daemon.board("general").items().isEmpty) == true }
        }
    }

    @Test func newContentsTakeThePlaceOfTheOld() async throws {
        try await PrivateDaemon.run { daemon in
            let board = daemon.board("general")
            let start = try await board.changeCount
            let first = try daemon.peer()
            _ = try await first.ask("fulfil general data public.png 70000", "replaced")
            await first.end()
            #expect(try await board.changeCount == start + 1)
            #expect(try await daemon.client.call(StatusCall()).heldBytes == 70_000)
            let old = try #require(try await board.items().first)

            let second = try daemon.peer()
            _ = try await second.ask("replace general data public.jpeg 10", "replaced")
            #expect(try await board.changeCount == start + 2)
            #expect(try await board.items().map(\.registeredTypeIdentifiers) == [["public.jpeg"]])
            #expect(try await daemon.client.call(StatusCall()).heldBytes == 0)
            await #expect(throws: (any Error).self) { try await old.loadDataRepresentation(for: .png) }
            let third = try daemon.peer()
            _ = try await third.ask("replace general data public.png 10", "replaced")
            // The second process knows that its contents were replaced, so it hands nothing over at its end.
            #expect(await second.quit() == .exited(0))
            #expect(second.unheard.isEmpty)
            #expect(try await contents(daemon).count == 10)
        }
    }

    @Test func aHandlerThatNeverAnswersDoesNotKeepItsProcessFromEnding() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer(after: "unset PURVEY_EXIT_TIME_LIMIT")
            _ = try await provider.ask("replace general never public.png", "replaced")
            #expect(await provider.quit() == .exited(0))
            await eventually { (try? await daemon.board("general").items().isEmpty) == true }
        }
    }

    @Test func failedPromisesAreNotFulfilled() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            #expect(try await provider.ask("fulfil general error public.png", "failed").contains("it is broken"))
        }
    }

    @Test func storedRepresentationsAreLimited() async throws {
        var limits = ExchangeLimits()
        limits.heldBytes = 100_000
        limits.heldRepresentations = 2
        try await PrivateService.run(limits) { client in
            let board = Board("general", client: client)
            let item = NSItemProvider()
            for (type, size) in [("public.png", 90_000), ("public.tiff", 20_000), ("public.jpeg", 5_000)] {
                item.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                    completion(pattern(size), nil)
                    return nil
                }
            }
            try await board.replaceContents(with: [item], fulfilling: true)
            // Representations that exceed the limit are left out.
            let kept = try #require(try await board.items().first)
            #expect(kept.registeredTypeIdentifiers == ["public.png", "public.jpeg"])
            #expect(try await kept.loadDataRepresentation(for: .jpeg) == pattern(5_000))
            #expect(try await client.call(StatusCall()).heldBytes == 95_000)
            // If no representation fits, that is an error, and the kept contents stay within the limit.
            let more = NSItemProvider()
            more.registerDataRepresentation(for: .png) { completion in
                completion(pattern(99_000), nil)
                return nil
            }
            try await board.replaceContents(with: [more], fulfilling: true)
            #expect(try await client.call(StatusCall()).heldBytes == 99_000)
            let tooLarge = NSItemProvider()
            tooLarge.registerDataRepresentation(for: .png) { completion in
                completion(pattern(101_000), nil)
                return nil
            }
            await #expect(throws: ExchangeError.self) {
                try await board.replaceContents(with: [tooLarge], fulfilling: true)
            }
        }
    }
}
