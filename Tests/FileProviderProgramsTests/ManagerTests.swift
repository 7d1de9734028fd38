import DomainMessages
import Exchange
import FileProvider
import FileProviderWire
import Foundation
import Glibc
import Testing

/// Tests of the requests that a provider's own program sends a real daemon through `NSFileProviderManager`.
@Suite(.timeLimit(.minutes(20))) struct ManagerTests {
    @Test func aProgramAddsListsChangesAndRemovesItsDomains() async throws {
        try await VaultFixture.run { place in
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
            // The provider receives the values that the program stored with the domain.
            #expect(place.notes(folder).first == "begin hello")

            // The same domain gets another name.
            #expect(try await app.ask("add main Writings \(folder)", "add") == "done")
            #expect(try await app.ask("domains", "domains") == "main=Writings second=a:b/c-+")
            // The domains outlive the daemon.
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
        try await VaultFixture.run { place in
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
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello\n"]))
            let storage = place.daemon.locations.data + "/containers/\(VaultFixture.provider)/File Provider Storage"
            #expect(try await app.ask("place", "place") == "\(VaultFixture.provider) \(storage)")
            let mounted = place.daemon.locations.mounts + "/Papers/a.txt"
            // The item was not listed before.
            #expect(try await app.ask("visible main a.txt", "visible") == mounted)
            #expect(try await app.ask("identify \(mounted)", "identify") == "a.txt main")
            #expect(
                try await app.ask("visible main none", "visible").hasPrefix("failed NSFileProviderErrorDomain -1005"))
            #expect(try await app.ask("identify \(folder)/a.txt", "identify").hasPrefix("failed NSCocoaErrorDomain 4 "))
        }
    }

    @Test func signalsReachTheEngineAndBytesComeAndGo() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello\n"]))
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

    @Test func aProgramMaySignalAsOftenAsItLikes() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello\n"]))
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await offPool { try? FileManager.default.contentsOfDirectory(atPath: mount) } == ["a.txt"])
            try Data("more\n".utf8).write(to: URL(fileURLWithPath: folder + "/b.txt"))
            // The requests exceed the capacity of a connection.
            #expect(try await app.ask("flood main 6000", "flood") == "0")
            await eventually {
                await offPool { (try? FileManager.default.contentsOfDirectory(atPath: mount))?.count == 2 }
            }
        }
    }

    private static let root = "NSFileProviderRootContainerItemIdentifier"

    @Test func aProgramWaitsUntilBothSidesHaveWhatTheOtherDid() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello\n"]))
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await place.contents(mount + "/a.txt") == "hello\n")
            #expect(try await app.ask("settle main \(Self.root)", "settle") == "done")
            for number in 0..<5 {
                try await offPool {
                    try Data("\(number)".utf8).write(to: URL(fileURLWithPath: mount + "/a.txt"), options: [])
                }
                #expect(try await app.ask("settle main a.txt", "settle") == "done")
                #expect(await place.contents(folder + "/a.txt") == "\(number)")
            }
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: folder + "/b.txt"))
            #expect(try await app.ask("stabilize main", "stabilize") == "done")
            #expect(
                await offPool { try? FileManager.default.contentsOfDirectory(atPath: mount).sorted() } == [
                    "a.txt", "b.txt",
                ])
            // The vault accepts no new files, and the program must not wait for ever.
            try await offPool { try Data("new".utf8).write(to: URL(fileURLWithPath: mount + "/new.txt"), options: []) }
            for (command, item) in [("settle main", " " + Self.root), ("stabilize main", "")] {
                let word = String(command.prefix { $0 != " " })
                let refused = try await app.ask(command + item, word)
                #expect(refused.hasPrefix("failed NSFileProviderErrorDomain -2005"), "\(refused)")
            }
            // The failed edit does not delay other items.
            #expect(try await app.ask("settle main a.txt", "settle") == "done")
            #expect(try await app.ask("settle main none", "settle").hasPrefix("failed NSFileProviderErrorDomain"))
            #expect(
                try await app.ask("stabilize other", "stabilize").hasPrefix("failed NSFileProviderErrorDomain -2013"))
        }
    }

    @Test func aDomainThatIsDisconnectedIsLeftAloneUntilItIsConnectedAgain() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(
                try place.makeService(["a.txt": "hello\n", "b.txt": "other"]))
            let mount = place.daemon.locations.mounts + "/Papers"
            #expect(await place.contents(mount + "/a.txt") == "hello\n")
            // A request that is in progress is served all the same.
            #expect(try await app.ask("stabilize main", "stabilize") == "done")
            await eventually { place.notes(folder).contains("stop a.txt") }
            // This ensures that requests which follow from the first are sent before the domain is disconnected.
            #expect(try await app.ask("stabilize main", "stabilize") == "done")
            #expect(try await app.ask("disconnect-domain main holidays", "disconnect-domain") == "done")
            let before = place.notes(folder)
            for _ in 0..<2 {
                let refused = try await app.ask("download main b.txt", "download")
                #expect(refused.contains("disconnected: holidays"), "\(refused)")
                // Local contents stay readable, once the domain is mounted.
                await eventually { await place.contents(mount + "/a.txt") == "hello\n" }
                #expect(place.notes(folder) == before)
                // The next daemon sends the provider no request either.
                await place.daemon.stop()
                try await place.daemon.start()
                await eventually { await place.contents(mount + "/a.txt") == "hello\n" }
            }
            try await offPool { try Data("edited".utf8).write(to: URL(fileURLWithPath: mount + "/a.txt"), options: []) }
            #expect(try await app.ask("connect-domain main", "connect-domain") == "done")
            #expect(try await app.ask("settle main a.txt", "settle") == "done")
            #expect(await place.contents(folder + "/a.txt") == "edited")
            #expect(try await app.ask("download main b.txt", "download") == "done")
        }
    }

    @Test func aProviderIsAskedToSearchWhereItsProgramHasSaidSo() async throws {
        try await VaultFixture.run { place in
            let (folder, app) = try await place.appWithDomain(
                try place.makeService(["a.txt": "hello\n", "b.txt": "other\n"]))
            let call = SearchProvidersCall(domain: "Papers", query: "a.t", limit: 10)
            await #expect(throws: (any Error).self) { _ = try await place.daemon.client.call(call) }
            try await app.ask("add main ?Papers \(folder)", "add done")
            for _ in 0..<2 {
                #expect(try await app.ask("domains", "domains") == "main=?Papers?")
                let found = try await place.daemon.client.call(call)
                #expect(found.items.map(\.result.filename) == ["a.txt"] && found.faults.isEmpty)
                await place.daemon.stop()
                try await place.daemon.start()
            }
        }
    }
}
