import FileTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of domains that cannot be started or served, and of commands that cannot succeed.
@Suite(.timeLimit(.minutes(20))) struct DomainFaultTests {
    @Test func aProviderThatIsMissingIsNamedAndItsDomainCanBeRemoved() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("extensions", "remove", "--force", "org.purvey.LocalFolder").status == 0)
            try await cloud.end()
            for command in ["domains", "status"] {
                #expect(try await place.purvey(command).text.contains("no extension \"org.purvey.LocalFolder\""))
            }
            let retry = try await place.purvey("retry", "Papers")
            #expect(retry.status == 1 && retry.errors.contains("no extension"), "\(retry.errors)")
            #expect(await cloud.contents(cloud.mount + "/a.txt") == nil)
            let removal = try await place.purvey("domains", "remove", "Papers")
            #expect(removal.status == 0, "\(removal.errors)")
            #expect(!FileManager.default.fileExists(atPath: cloud.mount))
        }
    }

    @Test func aProviderThatCrashesAtItsStartIsNamedAndWhatIsNotSentIsKept() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
            try await cloud.end()
            let program = place.path("LocalFolder.appex/LocalFolder")
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.copyItem(atPath: "/bin/false", toPath: program)
            // The directory's items are known after a start without the extension.
            #expect(try await place.purvey("ls", "Papers:").text.hasSuffix("  inner/\n"))
            let download = try await place.purvey("download", "Papers:a.txt", "Papers:none")
            #expect(download.status == 1)
            let complaints = download.errors.split(separator: "\n")
            #expect(complaints.count == 2 && complaints.allSatisfy { $0.hasPrefix("purvey: download: ") })
            #expect(complaints.first?.contains("not started any more") == true, "\(download.errors)")
            #expect(try await place.purvey("domains").text.contains("not started any more"))
            #expect(try await place.purvey("retry", "Papers").status == 1)
            try await cloud.write("mine\n", to: cloud.mount + "/mine.txt")
            try await cloud.eventually("the edit is told to wait") {
                try await place.purvey("status").text.contains("error: mine.txt: ")
            }
            #expect(try await cloud.state("Papers:mine.txt") == "error")
            let refused = try await place.purvey("domains", "remove", "Papers")
            #expect(refused.status == 1 && refused.errors.contains("--keep-edits"))
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.linkItem(atPath: BuiltProgram.path("LocalFolder"), toPath: program)
            #expect(try await place.purvey("retry", "Papers").status == 0)
            try await cloud.eventually("the edit is sent") {
                await cloud.contents(cloud.cloud + "/mine.txt") == "mine\n"
            }
        }
    }

    @Test func aProviderThatCrashesAgainAndAgainWhileAFileIsReadIsNamed() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
            let program = place.path("LocalFolder.appex/LocalFolder")
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.copyItem(atPath: "/bin/false", toPath: program)
            for process in cloud.extensionProcesses { kill(process, SIGKILL) }
            // No other request is sent to the extension, so only this one can reveal the failure.
            #expect(await cloud.contents(cloud.mount + "/a.txt") == nil)
            #expect(try await place.purvey("domains").text.contains("not started any more"))
            let status = try await place.purvey("status").text
            #expect(status.contains("not started any more") && status.contains("'purvey retry Papers'"), "\(status)")
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.linkItem(atPath: BuiltProgram.path("LocalFolder"), toPath: program)
            #expect(try await place.purvey("retry", "Papers").status == 0)
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            #expect(try await !place.purvey("status").text.contains("not started any more"))
        }
    }

    @Test func adviceQuotesADomainsNameAsAShellTakesIt() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let name = "My \"own\" $files"
            let added = try await place.purvey("domains", "add", "org.purvey.LocalFolder", name, "path=" + cloud.cloud)
            try #require(added.status == 0, "\(added.errors)")
            let program = place.path("LocalFolder.appex/LocalFolder")
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.copyItem(atPath: "/bin/false", toPath: program)
            for process in cloud.extensionProcesses { kill(process, SIGKILL) }
            #expect(await cloud.contents(String(added.text.dropLast()) + "/a.txt") == nil)
            let status = try await place.purvey("status").text
            #expect(status.contains(#"'purvey retry "My \"own\" \$files"'"#), "\(status)")
        }
    }

    @Test func aDomainThatCannotBeStartedIsListedAndCanBeRemovedWithItsEditsKept() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            // Without the extension no edit can be sent.
            #expect(try await place.purvey("extensions", "remove", "--force", "org.purvey.LocalFolder").status == 0)
            try await cloud.end()
            #expect(try await place.purvey("domains").status == 0)
            try await cloud.write("mine\n", to: cloud.mount + "/mine.txt")
            try await cloud.write("deeper\n", to: cloud.mount + "/inner/b.txt")
            try await cloud.end()
            let uploads = place.home + "/data/domains/Papers/uploads"
            try FileManager.default.removeItem(atPath: uploads)
            try Data().write(to: URL(fileURLWithPath: uploads))

            let listed = try await place.purvey("domains").text
            #expect(listed.contains("failed") && listed.contains("cannot be started"), "\(listed)")
            let refused = try await place.purvey("domains", "remove", "Papers")
            #expect(refused.status == 1 && refused.errors.contains("2 edits"), "\(refused.errors)")
            let removal = try await place.purvey("domains", "remove", "--keep-edits", "Papers")
            try #require(removal.status == 0, "\(removal.errors)")
            let kept = removal.text.trimmingCharacters(in: .newlines)
            #expect(await cloud.contents(kept + "/mine.txt") == "mine\n")
            let others = try FileManager.default.subpathsOfDirectory(atPath: kept).filter { $0.hasSuffix("/b.txt") }
            #expect(others.count == 1)
            #expect(await cloud.contents(kept + "/" + (others.first ?? "")) == "deeper\n")
            #expect(try await place.purvey("domains").text.isEmpty)
        }
    }

    @Test func aDomainWhoseRecordIsDamagedIsListedAndCanBeRemoved() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.end()
            let record = place.home + "/data/domains/Papers/domain.plist"
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: record))
            let listed = try await place.purvey("domains").text
            #expect(listed.contains("failed") && listed.contains(record), "\(listed)")
            #expect(try await place.purvey("retry", "Papers").status == 1)
            #expect(try await place.purvey("ls", "Papers:").errors.contains(record))
            #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
            try await cloud.add()
        }
    }

    @Test func aDaemonThatIsToldToEndWhileItStartsLeavesNoMount() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            try await cloud.end()
            for step in 0..<12 {
                let outcome = try await place.shell(
                    """
                    PATH="$(dirname "$purvey"):$PATH"
                    purveyd --foreground --socket "$PURVEY_HOME/run/daemon.socket" 2>/dev/null & daemon=$!
                    until [ -S "$PURVEY_HOME/run/daemon.socket" ]; do sleep 0.002; done
                    sleep 0.0\(step * 2 / 10)\(step * 2 % 10)
                    kill -TERM $daemon; wait $daemon
                    grep " \(cloud.mount) " /proc/mounts
                    """)
                #expect(outcome.text.isEmpty, "\(outcome.text)")
            }
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
        }
    }

    @Test func noDomainIsServedFromAMount() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            for path in [cloud.mount, cloud.mount + "/inner", place.home + "/mounts", place.home] {
                let outcome = try await place.purvey(
                    "domains", "add", "org.purvey.LocalFolder", "Mirror", "path=" + path)
                #expect(outcome.status == 1, "\(path)")
                #expect(outcome.errors.contains("cannot be handed to a provider"), "\(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").count == 1)
            }
            #expect(try await place.purvey("domains").text.split(separator: "\n").count == 1)
        }
    }

    /// A directory may be mounted at several places, and so may a FUSE mount beneath it.
    @Test(.enabled(if: canBind)) func noDomainIsServedFromWhereAMountIsSeenOnceMore() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let seen = place.path("seen")
            try FileManager.default.createDirectory(atPath: seen, withIntermediateDirectories: true)
            for (source, reason) in [(cloud.mount, "in a mounted domain"), (place.home, "not for providers")] {
                let outcome = try await place.shell(
                    """
                    mount --bind '\(source)' '\(seen)'
                    "$purvey" domains add org.purvey.LocalFolder Mirror 'path=\(seen)'; status=$?
                    umount -l '\(seen)'
                    exit $status
                    """)
                #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").count == 1)
            }
        }
    }

    /// Mounting requires root, which CI has to provide.
    private static let canBind = Requirement.isEnforced || geteuid() == 0

    @Test func aDomainIsNotMountedOnAFile() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let mounts = place.home + "/mounts"
            try FileManager.default.createDirectory(atPath: mounts, withIntermediateDirectories: true)
            try Data("mine\n".utf8).write(to: URL(fileURLWithPath: cloud.mount))
            let outcome = try await place.purvey(
                "domains", "add", "org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud)
            #expect(outcome.status == 1 && outcome.errors.contains("\(cloud.mount) cannot be used: Not a directory"))
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
            #expect(await cloud.contents(cloud.mount) == "mine\n")
            #expect(try await place.purvey("domains").text.isEmpty)
        }
    }

    @Test func aDaemonThatDiesWhileACommandWaitsIsOneLine() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let daemon = try await cloud.daemon()
            let outcome = try await place.shell(
                "kill -STOP \(daemon); \"$purvey\" ls Papers: & sleep 1; kill -KILL \(daemon); wait $!")
            // A command that starts after the kill gets a new daemon.
            #expect(outcome.status == 1 || outcome.status == 0)
            #expect(outcome.errors.split(separator: "\n").count == Int(outcome.status), "\(outcome.errors)")
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
        }
    }

    @Test func senselessArgumentsPrintOneLineAndFail() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let long = String(repeating: "x", count: 100_000)
            let wrong: [(words: [String], status: Int32)] = [
                (["ls"], 2), (["stat", "a", "b"], 2), (["download"], 2), (["signal"], 2), (["retry"], 2),
                (["evict", "--json", "x"], 2), (["status", "x"], 1), (["status", "x", "y"], 2),
                (["domains", "nothing"], 2),
                (["domains", "add", "x"], 2), (["domains", "remove"], 2), (["domains", "--json", "remove", "x"], 1),
                (["domains", "set", "Papers"], 2),
                (["ls", "Nothing:"], 1), (["ls", "/"], 1), (["stat", ""], 1), (["stat", "Papers:none"], 1),
                (["stat", "Papers:a.txt/none"], 1), (["stat", "Papers:\(long)"], 1), (["stat", long], 1),
                (["download", "/etc/passwd"], 1), (["evict", "Papers:none"], 1), (["keep", "Papers:none"], 1),
                (["signal", "Nothing"], 1), (["retry", long], 1), (["domains", "remove", "Nothing"], 1),
                (["domains", "add", "org.purvey.LocalFolder", long, "path=" + cloud.cloud], 1),
                (["domains", "add", "org.purvey.LocalFolder", "../x", "path=" + cloud.cloud], 1),
                (["domains", "add", "org.purvey.LocalFolder", "Papers", "path=" + cloud.cloud], 1),
                (["domains", "add", "org.purvey.LocalFolder", "New", "path=" + cloud.cloud + "/a.txt"], 1),
                (["evict", "Papers:a.txt"], 0), (["signal", "Papers", "nothing"], 1),
                (["domains", "set", "Nothing", "cache=1G"], 1), (["domains", "set", "Papers", "cache=big"], 1),
                (["domains", "set", "Papers", "cache"], 2), (["domains", "set", "Papers", "path=" + cloud.cloud], 1),
            ]
            for (words, status) in wrong {
                let outcome = try await place.purvey(words)
                #expect(outcome.status == status, "\(words.joined(separator: " ").prefix(100))")
                #expect(outcome.errors.split(separator: "\n").count == (status == 0 ? 0 : 1))
                #expect(outcome.text.isEmpty)
            }
            for redirection in [">&-", ">/dev/full"] {
                let outcome = try await place.shell("\"$purvey\" ls Papers: \(redirection)")
                #expect(outcome.status == 1 && outcome.errors.split(separator: "\n").count == 1)
            }
            #expect(try await place.shell("\"$purvey\" ls Papers: | true; exit ${PIPESTATUS[0]}").status <= 1)
        }
    }
}
