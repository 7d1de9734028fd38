import Exchange
import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct LocationsTests {
    @Test func purveyHomeMovesEverything() throws {
        let locations = try Locations(
            environment: ["PURVEY_HOME": "/home/me/p", "XDG_RUNTIME_DIR": "/run/user/7", "XDG_DATA_HOME": "/d"], user: 7
        )
        #expect(locations.socket == "/home/me/p/run/daemon.socket")
        #expect(locations.bundles == "/home/me/p/data/bundles")
        #expect(locations.cache == "/home/me/p/cache")
        #expect(locations.mounts == "/home/me/p/mounts")
    }

    @Test func mountsAreWhereAPersonFindsThemAndTheCacheWhereItMayBeRemoved() throws {
        let locations = try Locations(environment: ["XDG_RUNTIME_DIR": "/r", "HOME": "/home/me"], user: 7)
        #expect(locations.mounts == "/home/me/Purvey")
        #expect(locations.keptEdits == "/home/me/Purvey Edits")
        #expect(locations.cache == "/home/me/.cache/purvey")
        let moved = try Locations(
            environment: ["XDG_RUNTIME_DIR": "/r", "HOME": "/home/me", "XDG_CACHE_HOME": "/c"], user: 7)
        #expect(moved.cache == "/c/purvey")
    }

    @Test func theRuntimeFolderIsTheSessionsOwn() throws {
        let locations = try Locations(environment: ["XDG_RUNTIME_DIR": "/run/user/7/", "HOME": "/home/me"], user: 7)
        #expect(locations.socket == "/run/user/7/purvey/daemon.socket")
        #expect(locations.data == "/home/me/.local/share/purvey")
    }

    @Test func aRelativeFolderInTheEnvironmentIsIgnored() throws {
        let locations = try Locations(
            environment: ["XDG_RUNTIME_DIR": "run", "XDG_DATA_HOME": "data", "HOME": "/h"], user: 7,
            isOurs: { _ in false })
        #expect(locations.runtime == "/tmp/purvey-7")
        #expect(locations.data == "/h/.local/share/purvey")
    }

    @Test func aRelativePurveyHomeIsAnErrorAndNotTheUsersOwnDaemon() {
        #expect(throws: ExchangeError.daemonUnavailable("PURVEY_HOME is 'p', and has to be an absolute path")) {
            try Locations(environment: ["PURVEY_HOME": "p", "HOME": "/h"], user: 7)
        }
    }

    @Test func withoutASessionTheSystemsRuntimeFolderIsUsedWhenItIsOurs() throws {
        let locations = try Locations(environment: ["HOME": "/h"], user: 7, isOurs: { $0 == "/run/user/7" })
        #expect(locations.runtime == "/run/user/7/purvey")
    }

    @Test func aPrivateFolderIsMadeWithItsParentsAndClosedToOthers() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a/b/c"
            try PrivateFolder.make(path)
            #expect(try FileStatus.of(path).permissions == 0o700)
            chmod(path, 0o755)
            try PrivateFolder.make(path)
            #expect(try FileStatus.of(path).permissions == 0o700)
        }
    }

    @Test func aLinkInThePlaceOfAPrivateFolderIsRefused() throws {
        try withTemporaryFolder { folder in
            mkdir(folder + "/real", 0o700)
            symlink(folder + "/real", folder + "/link")
            #expect(throws: Errno.notDirectory) { try PrivateFolder.make(folder + "/link") }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can make a folder of somebody else"))
    func aFolderOfSomebodyElseIsRefused() throws {
        try withTemporaryFolder { folder in
            mkdir(folder + "/theirs", 0o777)
            chown(folder + "/theirs", 12345, 12345)
            #expect(throws: Errno.notPermitted) { try PrivateFolder.make(folder + "/theirs") }
        }
    }
}

/// Runs a test with a folder of its own, which is gone afterwards.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = NSTemporaryDirectory() + "/purvey-exchange-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
