import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of the paths that commands about domains accept.
@Suite(.timeLimit(.minutes(20))) struct CommandPathTests {
    private func object(_ outcome: CommandFixture.Outcome) throws -> [String: Any] {
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    }

    @Test func aTildeThatBeginsThePathIsTheHomeFolder() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let added = try object(
                try await place.shell(
                    """
                    HOME="$PURVEY_HOME" "$purvey" domains add --json org.purvey.LocalFolder Papers 'path=~/cloud'
                    """))
            #expect((added["settings"] as? [String: String])?["path"] == cloud.cloud)
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
        }
    }

    @Test func aSymbolicLinkToAMountedFileIsFollowed() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let link = place.path("link")
            let second = place.path("second")
            try #require(symlink(cloud.mount + "/inner/b.txt", link) == 0)
            try #require(symlink("link", second) == 0)
            let file = try object(try await place.purvey("stat", "--json", cloud.mount + "/inner/b.txt"))
            for path in [link, second] {
                let linked = try object(try await place.purvey("stat", "--json", path))
                #expect(linked["identifier"] as? String == file["identifier"] as? String)
            }
            #expect(try await place.purvey("download", second).status == 0)
            #expect(try await cloud.state("Papers:inner/b.txt") == "current")
            // The message about a dangling link has the path that the caller gave.
            let nowhere = place.path("nowhere")
            try #require(symlink("missing", nowhere) == 0)
            let outcome = try await place.purvey("stat", nowhere)
            #expect(outcome.status == 1 && outcome.errors.contains(nowhere), "\(outcome.errors)")
        }
    }

    @Test func namesMayBeginWithACombiningMark() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let (folder, file) = ("\u{301}folder", "\u{301}folder/\u{308}file")
            let made = try await place.shell(
                #"""
                cd "$PURVEY_HOME/cloud"
                mkdir "$(printf '\314\201folder')"
                printf marked >"$(printf '\314\201folder/\314\210file')"
                """#)
            try #require(made.status == 0, "\(made.errors)")
            try await cloud.add()
            let named = try object(try await place.purvey("stat", "--json", "Papers:" + file))
            let mounted = try object(try await place.purvey("stat", "--json", cloud.mount + "/" + file))
            #expect(named["identifier"] as? String != nil)
            #expect(named["identifier"] as? String == mounted["identifier"] as? String)
            #expect(try await place.purvey("ls", "Papers:" + folder).output.range(of: Data("\u{308}file".utf8)) != nil)
            #expect(try await place.purvey("download", cloud.mount + "/" + file).status == 0)
            #expect(try await cloud.state("Papers:" + file) == "current")
            #expect(try await place.shell(#"cat "$PURVEY_HOME"/mounts/Papers/*folder/*file"#).text == "marked")
            // A directory in a mount cannot be served.
            let refused = try await place.purvey(
                "domains", "add", "org.purvey.LocalFolder", "Inner", "path=\(cloud.mount)/\(folder)")
            #expect(refused.status == 1 && refused.errors.contains("is in a mounted domain"), "\(refused.errors)")
        }
    }
}
