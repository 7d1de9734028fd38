import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// Faults of a provider or a consumer, as seen from the other process.
@Suite struct BadInputTests {
    private func error(_ body: () async throws -> Void) async -> NSError? {
        do {
            try await body()
            return nil
        } catch {
            return error as NSError
        }
    }

    private func item(_ daemon: PrivateDaemon, _ scenario: String) async throws -> (PeerProcess, NSItemProvider) {
        let provider = try daemon.peer()
        _ = try await provider.ask("offer board \(scenario)", "offered")
        return (provider, try #require(try await daemon.board().items().first))
    }

    @Test func aTypeThatIsNotOfferedIsUnavailable() async throws {
        try await PrivateDaemon.run { daemon in
            let (_, item) = try await item(daemon, "data public.png 10")
            let failure = await error { _ = try await item.loadDataRepresentation(for: .pdf) }
            #expect(failure?.domain == NSItemProvider.errorDomain)
            #expect(failure?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            #expect(failure?.localizedDescription.contains("com.adobe.pdf") == true)
        }
    }

    @Test func theFirstOfTwoAnswersCounts() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, item) = try await item(daemon, "twice public.png")
            let outcome = Outcome()
            item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            #expect(try await outcome.value() == Data("first".utf8))
            // A second load of the same item over the same socket works as well.
            _ = try await provider.hear("handler called")
            #expect(try await item.loadDataRepresentation(for: .png) == Data("first".utf8))
            #expect(outcome.count == 1)
        }
    }

    @Test func neitherAValueNorAnErrorIsAnError() async throws {
        try await PrivateDaemon.run { daemon in
            let (_, item) = try await item(daemon, "neither public.png")
            let failure = await error { _ = try await item.loadDataRepresentation(for: .png) }
            #expect(failure?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            #expect((failure?.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription.isEmpty == false)
        }
    }

    @Test func anErrorArrivesWithItsDomainCodeWordsAndCause() async throws {
        try await PrivateDaemon.run { daemon in
            let (_, item) = try await item(daemon, "error public.png")
            let failure = try #require(await error { _ = try await item.loadDataRepresentation(for: .png) })
            let theirs = try #require(failure.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(theirs.domain == "Peer")
            #expect(theirs.code == 42)
            #expect(theirs.localizedDescription == "it is broken")
            let cause = try #require(theirs.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect((cause.domain, cause.code) == ("Deep", 7))
            #expect(cause.localizedDescription == "the cellar is flooded")
        }
    }

    @Test func aHandlerThatNeverAnswersCanBeCancelled() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, item) = try await item(daemon, "never public.png")
            let outcome = Outcome()
            let progress = item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            _ = try await provider.hear("handler called")
            progress.cancel()
            #expect(await error { _ = try await outcome.value() }?.code == CocoaError.userCancelled.rawValue)
            _ = try await provider.hear("handler cancelled")
        }
    }

    @Test func aHandlerThatNeverAnswersEndsWithItsProcess() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, item) = try await item(daemon, "never public.png")
            let outcome = Outcome()
            item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            _ = try await provider.hear("handler called")
            provider.signal(SIGKILL)
            let failure = await error { _ = try await outcome.value() }
            #expect(failure?.domain == NSItemProvider.errorDomain)
            #expect(failure?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            // The offer has ended, and every later load of the item fails.
            await eventually { (try? await daemon.board().items().isEmpty) == true }
            let later = await error { _ = try await item.loadDataRepresentation(for: .png) }
            #expect(later?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
        }
    }

    @Test func aWithdrawnItemIsUnavailable() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, item) = try await item(daemon, "data public.png 10")
            #expect(try await item.loadDataRepresentation(for: .png).count == 10)
            _ = try await provider.ask("withdraw", "withdrawn")
            #expect(try await daemon.board().items().isEmpty)
            let failure = await error { _ = try await item.loadDataRepresentation(for: .png) }
            #expect(failure?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
        }
    }

    @Test func aLoadThatRunsWhenItsItemIsWithdrawnGoesOn() async throws {
        try await PrivateDaemon.run { daemon in
            let (provider, item) = try await item(daemon, "slow public.png")
            let outcome = Outcome()
            item.loadDataRepresentation(forTypeIdentifier: "public.png") { outcome.set($0, $1) }
            _ = try await provider.hear("handler called")
            _ = try await provider.ask("withdraw", "withdrawn")
            provider.tell("finish")
            #expect(try await outcome.value() == Data("done".utf8))
        }
    }

    @Test(arguments: ["file", "inplace"]) func aFileThatVanishedIsNamed(_ kind: String) async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/gone.png"
            let (_, item) = try await item(daemon, "\(kind) public.png \(file)")
            let failure = try #require(
                await error { try await item.loadFileRepresentation(for: .png) { _, _ in } })
            #expect(failure.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            let cause = failure.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.localizedDescription.contains("gone.png") == true)
        }
    }

    @Test func aNamedPipeIsNoFile() async throws {
        try await PrivateDaemon.run { daemon in
            let pipe = daemon.work + "/pipe.png"
            mkfifo(pipe, 0o600)
            let (_, item) = try await item(daemon, "file public.png \(pipe)")
            #expect(await error { _ = try await item.loadDataRepresentation(for: .png) } != nil)
        }
    }

    @Test func aFileThatIsDeletedAfterItWasHandedOverArrivesWhole() async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/brief.png"
            try pattern(1 << 20).write(to: URL(fileURLWithPath: file))
            let (_, item) = try await item(daemon, "file public.png \(file)")
            let data = try await item.loadFileRepresentation(for: .png) { url, _ in
                unlink(file)
                return try Data(contentsOf: url)
            }
            #expect(data == pattern(1 << 20))
        }
    }

    @Test func aFolderThatItsProviderDeletesOnceItWasHandedOverArrivesWhole() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = daemon.work + "/brief"
            for number in 0..<200 {
                let part = folder + "/\(number % 10)"
                try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
                try pattern(1 << 16).write(to: URL(fileURLWithPath: part + "/\(number)"))
            }
            let (provider, item) = try await item(daemon, "brief public.folder \(folder)")
            let names = try await item.loadFileRepresentation(for: .folder) { url, _ in
                // The provider does not wait for the consumer to finish with its copy.
                _ = try await provider.hear("deleted")
                return try FileManager.default.subpathsOfDirectory(atPath: url.path)
            }
            #expect(names.count == 210)
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
    }

    @Test func aFileThatShrinksWhileItArrivesFailsTheLoad() async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/shrinking.png"
            let descriptor = try FileDescriptor.open(file, [.readWrite, .create])
            let size = 256 << 20
            // Without holes, because a sparse file would be copied at once.
            try pattern(1 << 20).withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: size, by: bytes.count) { try descriptor.writeAll(bytes, at: offset) }
            }
            let (_, item) = try await item(daemon, "file public.png \(file)")
            let outcome = Outcome()
            let progress = item.loadFileRepresentation(forTypeIdentifier: "public.png") { url, error in
                let size = (try? FileStatus.of(url?.path ?? "").size) ?? 0
                outcome.set(url.map { _ in Data("\(size)".utf8) }, error)
            }
            // The second half of the progress is the copying.
            await eventually { progress.fractionCompleted > 0.5 }
            try descriptor.truncate(to: 1000)
            // Either the copy finished first and is complete, or the load fails. It is never silently short.
            do {
                #expect(try await outcome.value() == Data("\(size)".utf8))
            } catch {
                #expect((error as NSError).code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            }
        }
    }

    @Test func aNameWithSeparatorsOrOfThreeHundredBytesBecomesAFileName() async throws {
        try await PrivateDaemon.run { daemon in
            let long = String(repeating: "ü", count: 150)
            for name in ["../../etc/passwd", "a/b\u{0}c\nd", long] {
                let provider = NSItemProvider()
                provider.suggestedName = name
                provider.registerDataRepresentation(for: .png) { completion in
                    completion(Data("x".utf8), nil)
                    return nil
                }
                let offer = try await daemon.board("named").offer(provider)
                let item = try #require(try await daemon.board("named").items().first)
                #expect(item.suggestedName == name)
                try await item.loadFileRepresentation(for: .png) { url, _ in
                    #expect(url.lastPathComponent.utf8.count <= 255)
                    #expect(url.pathExtension == "png")
                    #expect(!url.pathComponents.contains(".."))
                    #expect(url.path.hasPrefix(TestProcess.folder))
                    let data = try Data(contentsOf: url)
                    #expect(data == Data("x".utf8))
                }
                await offer.withdraw()
            }
        }
    }

    @Test func aNameBeyondTheLimitIsRefusedWithAClearError() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = NSItemProvider()
            provider.suggestedName = String(repeating: "n", count: 5_000)
            provider.registerDataRepresentation(for: .png) { completion in
                completion(Data(), nil)
                return nil
            }
            await #expect(throws: ExchangeError.refused("an item's name has at most 4096 bytes")) {
                try await daemon.board().offer(provider)
            }
            await #expect(throws: ExchangeError.refused("the item has no representation")) {
                try await daemon.board().offer(NSItemProvider())
            }
        }
    }

    @Test func aFolderThatChangesDuringTheWalkArrivesWholeOrFails() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = daemon.work + "/busy"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for number in 0..<500 {
                try Data("\(number)".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(number).txt"))
            }
            let (_, item) = try await item(daemon, "file public.folder \(folder)")
            let churn = Task.detached {
                var number = 0
                while !Task.isCancelled {
                    unlink("\(folder)/\(number % 500).txt")
                    try? Data("\(number)".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(number % 500).txt"))
                    number += 1
                    await Task.yield()
                }
            }
            for _ in 0..<5 {
                // Each load may succeed or fail. It must not hang, crash or leave files.
                _ = await error { try await item.loadFileRepresentation(for: .folder) { _, _ in } }
                _ = await error { _ = try await item.loadDataRepresentation(for: .folder) }
            }
            churn.cancel()
            await churn.value
            let loads = TestProcess.folder + "/data/loads"
            await eventually { ((try? FileManager.default.contentsOfDirectory(atPath: loads)) ?? []).count < 40 }
            #expect(try await item.loadDataRepresentation(for: .folder).isEmpty == false)
        }
    }
}
