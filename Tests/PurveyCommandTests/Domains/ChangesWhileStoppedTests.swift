import FileTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of changes in a served directory that were made while no daemon ran.
@Suite(.timeLimit(.minutes(20))) struct ChangesWhileStoppedTests {
    /// The files are opened by their names only, because a listing would ask the provider for changes.
    @Test(arguments: [SIGTERM, SIGKILL]) func openedFilesAreUpToDateAfterARestart(signal: CInt) async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            for name in ["read.txt", "kept.txt"] { try await cloud.write("old\n", to: cloud.cloud + "/" + name) }
            try await cloud.add()
            let kept = cloud.mount + "/kept.txt"
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
            #expect(await cloud.contents(cloud.mount + "/read.txt") == "old\n")
            #expect(try await place.purvey("keep", kept).status == 0)
            try await cloud.eventually("the kept file is here") {
                try await place.purvey("stat", kept).text.contains("state       current")
            }
            try await place.endDaemon(by: signal)
            for name in ["read.txt", "kept.txt"] {
                try await cloud.write("new contents\n", to: cloud.cloud + "/" + name)
            }
            try await cloud.write("a new file\n", to: cloud.cloud + "/new.txt")
            // The next daemon mounts the domain again.
            _ = try await place.daemon()
            for (name, text) in [("read.txt", "new contents\n"), ("new.txt", "a new file\n")] {
                try await cloud.eventually("\(name) is up to date") {
                    await cloud.contents(cloud.mount + "/" + name) == text
                }
            }
            try await cloud.eventually("the kept file is fetched again") {
                let text = try await place.purvey("stat", kept).text
                return text.contains("size        13") && text.contains("state       current")
            }
        }
    }
}
