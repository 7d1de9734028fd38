import Exchange
import Foundation
import Glibc
import Testing

/// What a provider's own program asks of a real daemon through `NSFileProviderManager`.
@Suite(.timeLimit(.minutes(20))) struct ManagerTests {
    @Test func aProgramAddsListsChangesAndRemovesItsDomains() async throws {
        try await VaultPlace.run { place in
            let folder = try place.makeService(["a.txt": "hello\n"])
            let other = try place.makeService(named: "other")
            let app = try place.app()
            #expect(try await app.ask("domains", "domains").isEmpty)
            #expect(try await app.ask("add main Papers \(folder)", "add") == "done")
            #expect(try await app.ask("add second a:b/c- \(other)", "add") == "done")
            #expect(try await app.ask("domains", "domains") == "main=Papers second=a:b/c-+")
            let mounts = place.daemon.locations.mounts
            #expect(await place.contents(mounts + "/Papers/a.txt") == "hello\n")
            #expect(FileManager.default.fileExists(atPath: mounts + "/a-b-c-"))
            // What a program keeps with a domain, its provider gets.
            #expect(place.notes(folder).first == "begin hello")

            // Another name, for the same domain.
            #expect(try await app.ask("add main Writings \(folder)", "add") == "done")
            #expect(try await app.ask("domains", "domains") == "main=Writings second=a:b/c-+")
            // They come back with the daemon.
            await place.daemon.stop()
            try await place.daemon.start()
            #expect(try await app.ask("domains", "domains") == "main=Writings second=a:b/c-+")

            #expect(try await app.ask("remove second", "remove") == "nothing")
            #expect(try await app.ask("domains", "domains") == "main=Writings")
            #expect(try await app.ask("removeall", "removeall") == "done")
            #expect(try await app.ask("domains", "domains").isEmpty)
            #expect(await place.contents(folder + "/a.txt") == "hello\n")
        }
    }

    @Test func aProgramThatHasNoProviderIsToldSo() async throws {
        try await VaultPlace.run { place in
            let folder = try place.makeService()
            let stranger = try place.stranger()
            let notFound = "failed NSFileProviderErrorDomain -2001"
            #expect(try await stranger.ask("domains", "domains").hasPrefix(notFound))
            #expect(try await stranger.ask("add main Papers \(folder)", "add").hasPrefix(notFound))
            #expect(try await stranger.ask("signal main folder", "signal").hasPrefix(notFound))
            let app = try place.app()
            #expect(
                try await app.ask("signal main folder", "signal").hasPrefix("failed NSFileProviderErrorDomain -2013"))
            for bad in ["/nonexistent", place.daemon.home] {
                let answer = try await app.ask("add main Papers \(bad)", "add")
                #expect(answer.hasPrefix("failed NSFileProviderErrorDomain") && answer.contains(bad), "\(answer)")
            }
            #expect(try await app.ask("domains", "domains").isEmpty)
        }
    }

    @Test func placesOfItemsAreFoundInBothDirections() async throws {
        try await VaultPlace.run { place in
            let folder = try place.makeService(["a.txt": "hello\n"])
            let app = try place.app()
            try await app.ask("add main Papers \(folder)", "add done")
            let storage = place.daemon.locations.data + "/containers/\(VaultPlace.provider)/File Provider Storage"
            #expect(try await app.ask("place", "place") == "\(VaultPlace.provider) \(storage)")
            let mounted = place.daemon.locations.mounts + "/Papers/a.txt"
            // Of an item that nobody has listed.
            #expect(try await app.ask("visible main a.txt", "visible") == mounted)
            #expect(try await app.ask("identify \(mounted)", "identify") == "a.txt main")
            #expect(
                try await app.ask("visible main none", "visible").hasPrefix("failed NSFileProviderErrorDomain -1005"))
            #expect(try await app.ask("identify \(folder)/a.txt", "identify").hasPrefix("failed NSCocoaErrorDomain 4 "))
        }
    }

    @Test func signalsReachTheEngineAndBytesComeAndGo() async throws {
        try await VaultPlace.run { place in
            let folder = try place.makeService(["a.txt": "hello\n"])
            let app = try place.app()
            try await app.ask("add main Papers \(folder)", "add done")
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await offPool { try? FileManager.default.contentsOfDirectory(atPath: mount) } == ["a.txt"])
            try Data("more\n".utf8).write(to: URL(fileURLWithPath: folder + "/b.txt"))
            #expect(try await app.ask("signal main NSFileProviderRootContainerItemIdentifier", "signal") == "done")
            await eventually {
                await offPool { (try? FileManager.default.contentsOfDirectory(atPath: mount))?.count == 2 }
            }
            #expect(try await app.ask("download main b.txt", "download") == "done")
            #expect(place.notes(folder).contains("start b.txt"))
            #expect(try await app.ask("evict main b.txt", "evict") == "done")
            #expect(
                try await app.ask("download main none", "download").hasPrefix("failed NSFileProviderErrorDomain -1005"))
        }
    }
}
