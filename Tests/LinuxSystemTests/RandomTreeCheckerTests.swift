import FileTesting
import Glibc
import LinuxSystem
import Testing

/// Runs the checker on a disk first, which defines correct behaviour.
@Suite struct RandomTreeCheckerTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func aDiskPasses(seed: UInt64) throws {
        let folder = try TestFolder()
        for name in ["checked", "model"] { try folder.folder(name) }
        var checker = try RandomTreeChecker(
            checked: folder.path + "/checked", model: folder.path + "/model", seed: seed, pauses: false)
        try checker.run(steps: 1_000)
    }

    @Test(arguments: ["one that came by itself", "another mode", "other bytes"])
    func differencesWithoutAnActionAreFound(what: String) throws {
        let folder = try TestFolder()
        for name in ["checked", "model"] {
            try folder.folder(name)
            try folder.file(name + "/there", Array("text".utf8))
        }
        let path = folder.path + "/checked/there"
        switch what {
        case "another mode": try retrying { chmod(path, 0o600) }
        case "other bytes": try FileDescriptor.open(path, .writeOnly).overwrite(Array("TEXT".utf8), at: 0)
        default: try folder.file("checked/ghost")
        }
        var checker = try RandomTreeChecker(
            checked: folder.path + "/checked", model: folder.path + "/model", seed: 1, pauses: false)
        #expect(throws: RandomTreeChecker.Fault.self) { try checker.run(steps: 8) }
    }
}
