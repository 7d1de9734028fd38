import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Testing

/// Tests of names that differ only in their Unicode normalization form, across a daemon, a provider and a mount.
@Suite(.timeLimit(.minutes(20))) struct NormalFormTests {
    @Test func aRenameThatChangesOnlyTheNormalFormReachesTheFolder() async throws {
        let (composed, decomposed) = ("r\u{E9}sum\u{E9}.txt", "re\u{301}sume\u{301}.txt")
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let (mount, served) = (cloud.mount + "/inner/", cloud.cloud + "/inner/")
            try await onThread { try Self.write("text", to: served + composed) }
            try await cloud.add()
            #expect(try Self.names(mount) == [Array(composed.utf8), Array("b.txt".utf8)])
            try await onThread { _ = try retrying { rename(mount + composed, mount + decomposed) } }
            try await cloud.eventually("the folder has the new name") {
                try Self.names(served) == [Array(decomposed.utf8), Array("b.txt".utf8)]
            }
            try await onThread { try Self.write("other", to: mount + composed) }
            let both: Set = [Array(composed.utf8), Array(decomposed.utf8), Array("b.txt".utf8)]
            try await cloud.eventually("the folder has both") { try Self.names(served) == both }
            #expect(try Self.names(mount) == both)
            #expect(await cloud.contents(served + composed) == "other")
            #expect(await cloud.contents(served + decomposed) == "text")
        }
    }

    @Test func aNameThatBeginsWithAByteOrderMarkIsAnotherOneThanWithout() async throws {
        let (plain, marked) = ("report", "\u{FEFF}report")
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let (mount, served) = (cloud.mount + "/inner/", cloud.cloud + "/inner/")
            try await cloud.add()
            for name in [plain, marked] {
                try await onThread { try Self.write(name == plain ? "plain" : "marked", to: mount + name) }
            }
            let all: Set = [Array(plain.utf8), Array(marked.utf8), Array("b.txt".utf8)]
            try await cloud.eventually("the folder has both") { try Self.names(served) == all }
            #expect(try Self.names(mount) == all)
            #expect(await cloud.contents(served + plain) == "plain")
            #expect(await cloud.contents(served + marked) == "marked")
        }
    }

    /// The models are both kinds of provider. Their identifiers are paths or not.
    @Test(arguments: StartedCloud.Model.allCases)
    func twoFoldersOfOneNameInTwoNormalFormsStayApart(_ model: StartedCloud.Model) async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try await ServiceFixture.run(model: model) { place in
            try await place.tell { control in
                try control.change { $0.identifiersArePaths = model.identifiersArePaths }
                try control.put(composed + "/file", "composed")
                try control.put(decomposed + "/file", "decomposed")
            }
            for form in [composed, decomposed] {
                #expect(await place.read(form + "/file") == (form.utf8.count == 2 ? "composed" : "decomposed"))
            }
            let mount = place.mount + "/"
            let both: Set = [Array(composed.utf8), Array(decomposed.utf8)]
            #expect(try await onThread { try Self.names(mount) } == both)
            for form in [composed, decomposed] {
                try await onThread { try Self.write("\(form.utf8.count)", to: mount + form + "/new") }
                try await place.eventually("the service has the new file") {
                    try await place.tell { try? $0.text(form + "/new") } == "\(form.utf8.count)"
                }
            }
            // Another client renames one folder, and the other folder is then renamed in the mount.
            try await place.tell { try $0.move(decomposed, to: "theirs") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("the rename is seen") { await place.read("theirs/file") == "decomposed" }
            try await onThread { _ = try retrying { rename(mount + composed, mount + decomposed) } }
            try await place.eventually("the service has the rename") {
                try await place.tell { try? $0.text(decomposed + "/new") } == "2"
            }
            try await place.tell { try $0.move("theirs", to: composed) }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("both are seen") { await place.read(composed + "/new") == "3" }
            #expect(await place.read(decomposed + "/file") == "composed")
            try await place.tell { try $0.remove(decomposed) }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("one is left") {
                try await onThread { try Self.names(mount) } == [Array(composed.utf8)]
            }
            #expect(await place.read(composed + "/file") == "decomposed")
        }
    }

    /// Returns the names in a directory as bytes.
    private static func names(_ folder: String) throws -> Set<[UInt8]> {
        Set(try FileDescriptor.open(folder, [.readOnly, .directory]).entries().map { Array($0.name.bytes) })
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(path, [.writeOnly, .create])
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }
}
