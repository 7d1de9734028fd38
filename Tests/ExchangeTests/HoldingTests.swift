import Conduit
import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// The contents that the daemon stores for processes that have ended.
@Suite struct HoldingTests {
    private func item(_ contents: Data) -> NSItemProvider {
        let item = NSItemProvider()
        item.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
            completion(contents, nil)
            return nil
        }
        return item
    }

    @Test func contentsThatCannotBeKeptLeaveTheBoardAsItWas() async throws {
        var limits = ExchangeLimits()
        limits.heldBytes = 100_000
        try await PrivateService.run(limits) { client in
            let board = Board("general", client: client)
            try await board.replaceContents(with: [item(pattern(90_000))], fulfilling: true)
            let count = try await board.changeCount
            await #expect(throws: ExchangeError.self) {
                try await board.replaceContents(
                    with: [item(Data("fits".utf8)), item(pattern(101_000))], fulfilling: true)
            }
            let broken = NSItemProvider()
            broken.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
                completion(nil, CocoaError(.fileNoSuchFile))
                return nil
            }
            await #expect(throws: (any Error).self) {
                try await board.replaceContents(with: [broken], fulfilling: true)
            }
            #expect(try await board.changeCount == count)
            #expect(try await board.items().first?.loadDataRepresentation(for: .png) == pattern(90_000))
            // The contents of the failed replacement are released.
            await eventually { (try? await client.call(StatusCall()).heldBytes) == 90_000 }
            // Contents as large as the replaced ones fit in their place.
            try await board.replaceContents(with: [item(pattern(95_000))], fulfilling: true)
            #expect(try await client.call(StatusCall()).heldBytes == 95_000)
        }
    }

    @Test func otherBoardsLeaveRoomForTheGeneralPasteboard() async throws {
        var limits = ExchangeLimits()
        limits.heldBytes = 100_000
        limits.heldRepresentations = 4
        try await PrivateService.run(limits) { client in
            // The contents of other boards may stay forever, so they must leave room for the general pasteboard.
            for number in 0..<2 {
                try await Board("board \(number)", client: client).replaceContents(
                    with: [item(pattern(20_000))], fulfilling: true)
            }
            for contents in [pattern(1), pattern(40_000)] {
                await #expect(throws: ExchangeError.self) {
                    try await Board("one more", client: client).replaceContents(
                        with: [item(contents)], fulfilling: true)
                }
            }
            let general = Board("general", client: client)
            try await general.replaceContents(with: [item(pattern(60_000))], fulfilling: true)
            try await general.replaceContents(with: [item(pattern(59_000))], fulfilling: true)
            #expect(try await client.call(StatusCall()).heldBytes == 99_000)
            // Emptied boards release their room.
            try await Board("board 0", client: client).replaceContents(with: [])
            try await Board("one more", client: client).replaceContents(with: [item(pattern(10_000))], fulfilling: true)
        }
    }

    @Test func aFileWithoutANameCountsAsMemory() async throws {
        var limits = ExchangeLimits()
        limits.heldBytes = 100_000
        try await PrivateService.run(limits) { client in
            let nameless = try MemoryFile.create(name: "test")
            ftruncate(nameless.rawValue, 1 << 30)
            let supply = Supply.file(
                SuppliedFile(
                    descriptor: nameless, isDirectory: false, path: nil, name: nil, isOfferedInPlace: false,
                    isCoordinated: false))
            await #expect(throws: ExchangeError.refused("at most 0 MiB are kept for processes that have ended")) {
                try await client.call(HoldCall(identifier: UUID(), index: 0, supply: SupplyMessage(supply)))
            }
            #expect(try await client.call(StatusCall()).heldBytes == 0)
        }
    }

    @Test func theLeaseOfAFolderIsNotKept() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = try FileDescriptor.open(daemon.work, [.readOnly, .directory])
            let (ours, theirs) = try SequencedPacketSocket.pair()
            func supply(_ lease: FileDescriptor) -> Supply {
                .file(
                    SuppliedFile(
                        descriptor: folder, isDirectory: true, path: nil, name: nil, isOfferedInPlace: false,
                        isCoordinated: false, lease: FolderLease(lease)))
            }
            try await hold(supply(theirs.descriptor), client: daemon.client)
            withExtendedLifetime(theirs) {}
            _ = consume theirs
            // The daemon has closed its end, and this process its own.
            await eventually { ours.isHungUp }
        }
    }

    private func hold(_ supply: Supply, client: ExchangeClient) async throws {
        _ = try await client.call(HoldCall(identifier: UUID(), index: 0, supply: SupplyMessage(supply)))
    }
}
