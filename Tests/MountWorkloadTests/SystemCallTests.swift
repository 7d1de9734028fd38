import FileTesting
import Foundation
import LinuxSystem
import TestThreads
import Testing

/// Tests that compare the results of system calls in a mount with those in an ordinary directory.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct SystemCallTests {
    @Test func callsDoWhatTheyDoOnADisk() throws {
        try MountFixture.run { place in
            let met = try compare(in: place)
            // An exception that no longer occurs must be removed from the list.
            let rest = MountException.all.indices.filter { !met.contains($0) }
            #expect(rest.isEmpty, "\(rest.map { MountException.all[$0] })")
        }
    }

    /// Modes do not restrict root, so another user makes the calls.
    @Test(.enabled(if: MountFixture.canBeAnother))
    func callsOfAUserWithoutRightsDoWhatTheyDoOnADisk() throws {
        try MountFixture.run(as: MountFixture.another) { place in _ = try compare(in: place) }
    }

    @Test func localStateIsTheSameAfterARestart() throws {
        try MountFixture.run { place in
            // The provider gets the execute permission with a new file only. So the file has it from its creation, and
            // not only from a later `chmod`.
            try place.shell(
                """
                echo text > b
                chmod 750 b
                cd "$M"
                mkdir folder moved
                echo text > folder/a
                cp --preserve=mode "$S/b" b
                touch -d "2001-02-03 04:05:06.25" folder/a
                chmod 4750 b
                chmod 2700 moved
                mv moved folder/
                ln -s folder/a link
                """)
            let look = #"cd "$M"; find . -printf '%p %m %n %s %T@ %C@\n' | sort"#
            let before = try place.shell(look)
            try place.expectThatTheProviderHasAll()
            #expect(try place.shell(look) == before)
            try place.endDaemon()
            try place.startDaemon()
            #expect(try place.shell(look) == before)
        }
    }

    @Test func theExceptionsAreDocumented() throws {
        let path = FileManager.default.currentDirectoryPath + "/Documentation/POSIX.md"
        let text = String(decoding: try FileDescriptor.open(path, .readOnly).everything(), as: UTF8.self)
        for reason in Set(MountException.all.map(\.reason)) { #expect(text.contains("| \(reason) |")) }
    }

    /// - Returns: The indices of the exceptions that occurred.
    private func compare(in place: MountFixture) throws -> Set<Int> {
        let found = try outcomes(of: #"FileCheckPeer calls "$M""#, in: place)
        let expected = try outcomes(of: #"mkdir "$S/plain"; FileCheckPeer calls "$S/plain""#, in: place)
        try #require(found.map(\.name) == expected.map(\.name))
        var met: Set<Int> = []
        for (found, expected) in zip(found, expected) where found.outcome != expected.outcome {
            let exception = MountException.all.firstIndex { $0.covers(found.name, found.outcome) }
            if let exception { met.insert(exception) }
            #expect(exception != nil, "\(found.name): \(found.outcome) instead of \(expected.outcome)")
        }
        return met
    }

    private func outcomes(of script: String, in place: MountFixture) throws -> [(name: String, outcome: String)] {
        try place.shell(script).split(separator: "\n").map { line in
            let parts = line.split(separator: "\t", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }
}
