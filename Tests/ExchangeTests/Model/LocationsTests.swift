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

    @Test func mountsAreWhereTheUserFindsThemAndTheCacheWhereItMayBeRemoved() throws {
        let locations = try Locations(
            environment: ["XDG_RUNTIME_DIR": "/r", "HOME": "/home/me"], user: 7, runtimeFault: { _ in nil })
        #expect(locations.mounts == "/home/me/Purvey")
        #expect(locations.keptEdits == "/home/me/Purvey Edits")
        #expect(locations.cache == "/home/me/.cache/purvey")
        let moved = try Locations(
            environment: ["XDG_RUNTIME_DIR": "/r", "HOME": "/home/me", "XDG_CACHE_HOME": "/c"], user: 7,
            runtimeFault: { _ in nil })
        #expect(moved.cache == "/c/purvey")
    }

    @Test func theRuntimeFolderIsTheSessionsOwn() throws {
        let locations = try Locations(
            environment: ["XDG_RUNTIME_DIR": "/run/me/", "HOME": "/home/me"], user: 7,
            runtimeFault: { $0.hasPrefix("/run/me") ? nil : "which is bad" })
        #expect(locations.socket == "/run/me/purvey/daemon.socket")
        #expect(locations.data == "/home/me/.local/share/purvey")
        #expect(locations.home == "/home/me" && locations.warnings.isEmpty)
    }

    @Test func aRelativeFolderInTheEnvironmentIsIgnored() throws {
        let locations = try Locations(
            environment: ["XDG_RUNTIME_DIR": "run", "XDG_DATA_HOME": "data", "HOME": "/h"], user: 7,
            runtimeFault: { _ in "which is bad" })
        #expect(locations.runtime == "/tmp/purvey-7")
        #expect(locations.data == "/h/.local/share/purvey")
        #expect(
            locations.warnings == [
                "XDG_RUNTIME_DIR is 'run', which is not an absolute path: /tmp/purvey-7 is used instead"
            ])
    }

    @Test func aBadRuntimeFolderIsReplacedWithAWarning() throws {
        for (replacement, isThere) in [("/run/user/7/purvey", true), ("/tmp/purvey-7", false)] {
            let locations = try Locations(
                environment: ["XDG_RUNTIME_DIR": "/gone", "HOME": "/h"], user: 7,
                runtimeFault: { $0 == "/run/user/7" && isThere ? nil : "which does not exist" })
            #expect(locations.socket == replacement + "/daemon.socket")
            #expect(
                locations.warnings == [
                    "XDG_RUNTIME_DIR is '/gone', which does not exist: \(replacement) is used instead"
                ])
        }
        // PURVEY_HOME determines all locations, so no warning is needed.
        let moved = try Locations(environment: ["XDG_RUNTIME_DIR": "/gone", "HOME": "h", "PURVEY_HOME": "/p"], user: 7)
        #expect(moved.warnings.isEmpty && moved.home == nil)
    }

    @Test func aRelativeHomeFolderIsReplacedByThatOfTheUserWithAWarning() throws {
        let own = try Locations(environment: [:], user: getuid())
        let locations = try Locations(environment: ["HOME": "here"], user: getuid())
        #expect(locations.data == own.data && own.warnings.isEmpty)
        #expect(locations.warnings.first?.hasPrefix("HOME is 'here', which is not an absolute path: /") == true)
    }

    @Test func aRuntimeFolderIsOneThatOnlyItsUserChanges() throws {
        try withTemporaryFolder { folder in
            #expect(RuntimeFolder.fault(of: folder + "/missing") == "which does not exist")
            for (name, mode, fault) in [
                ("private", 0o700, nil), ("seen", 0o755, nil), ("group", 0o770, "which others may write to"),
                ("all", 0o777, "which others may write to"),
            ] as [(String, mode_t, String?)] {
                mkdir(folder + "/" + name, 0o700)
                chmod(folder + "/" + name, mode)
                #expect(RuntimeFolder.fault(of: folder + "/" + name) == fault)
            }
            symlink(folder + "/private", folder + "/link")
            #expect(RuntimeFolder.fault(of: folder + "/link") == nil)
            #expect(RuntimeFolder.fault(of: "/dev/null") == "which is not a folder")
            if getuid() == 0 {
                chown(folder + "/seen", 12345, 12345)
                #expect(RuntimeFolder.fault(of: folder + "/seen") == "which belongs to another user")
            }
        }
    }

    @Test func directoriesOfADaemonAreMadeAndAHomeDirectoryIsNot() throws {
        try withTemporaryFolder { folder in
            let locations = try Locations(environment: ["PURVEY_HOME": folder + "/a/p"], user: getuid())
            try locations.prepare()
            for made in [locations.data, locations.cache, locations.runtime] {
                #expect(try FileStatus.of(made).permissions == 0o700)
            }
            #expect(throws: Errno.noSuchFile) { try FileStatus.of(locations.mounts) }
            let homeless = Locations(runtime: folder + "/run", data: folder + "/data", home: folder + "/none")
            let error = #expect(throws: LocationError.self) { try homeless.prepare() }
            #expect(error?.description.hasPrefix("the home folder \(folder)/none does not exist: set HOME ") == true)
            #expect(throws: Errno.noSuchFile) { try FileStatus.of(folder + "/data") }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a directory to another user"))
    func theHomeDirectoryOfAnotherUserIsRefused() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/theirs", withIntermediateDirectories: false)
            chown(folder + "/theirs", 12345, 12345)
            let locations = Locations(runtime: folder + "/run", data: folder + "/theirs/data", home: folder + "/theirs")
            let error = #expect(throws: LocationError.self) { try locations.prepare() }
            #expect(error?.description.hasPrefix("the home folder \(folder)/theirs belongs to another user: ") == true)
            #expect(throws: Errno.noSuchFile) { try FileStatus.of(folder + "/theirs/data") }
        }
    }

    @Test func aRelativePurveyHomeIsAnErrorAndNotTheUsersOwnDaemon() {
        #expect(throws: ExchangeError.daemonUnavailable("PURVEY_HOME is 'p', and has to be an absolute path")) {
            try Locations(environment: ["PURVEY_HOME": "p", "HOME": "/h"], user: 7)
        }
    }

    @Test func withoutASessionTheSystemsRuntimeFolderIsUsedWhenItIsOurs() throws {
        let locations = try Locations(
            environment: ["HOME": "/h"], user: 7, runtimeFault: { $0 == "/run/user/7" ? nil : "" })
        #expect(locations.runtime == "/run/user/7/purvey" && locations.warnings.isEmpty)
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

    @Test func aPrivateFolderThatCannotBeMadeFailsWithTheReasonOfTheOneAboveIt() throws {
        try withTemporaryFolder { folder in
            try Data().write(to: URL(fileURLWithPath: folder + "/file"))
            #expect(throws: Errno.notDirectory) { try PrivateFolder.make(folder + "/file/a/b") }
        }
    }

    @Test func aLinkInThePlaceOfAPrivateFolderIsRefused() throws {
        try withTemporaryFolder { folder in
            mkdir(folder + "/real", 0o700)
            symlink(folder + "/real", folder + "/link")
            #expect(throws: Errno.notDirectory) { try PrivateFolder.make(folder + "/link") }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can make a folder of another user"))
    func aFolderOfAnotherUserIsRefused() throws {
        try withTemporaryFolder { folder in
            mkdir(folder + "/theirs", 0o777)
            chown(folder + "/theirs", 12345, 12345)
            #expect(throws: Errno.notPermitted) { try PrivateFolder.make(folder + "/theirs") }
        }
    }
}

/// Runs a test with a temporary directory of its own.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = NSTemporaryDirectory() + "/purvey-exchange-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
