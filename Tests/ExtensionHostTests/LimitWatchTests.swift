import ExtensionHost
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct LimitWatchTests {
    private static let limits = ProcessLimits(memory: 512 << 20, network: false)

    @Test func anOrdinaryProcessIsWithinItsLimits() throws {
        let sleeper = try ChildProgram.start("/bin/sleep", arguments: ["600"], descriptors: [])
        defer {
            kill(sleeper.processID, SIGKILL)
            _ = try? sleeper.wait()
        }
        var watch = LimitWatch(of: sleeper.processID, Self.limits, folders: ["/var/tmp"])
        for _ in 0..<10 { #expect(watch.excess() == nil) }
        #expect(watch.namelessBytes == 0)
        var strict = LimitWatch(of: sleeper.processID, ProcessLimits(memory: -1 << 30, network: false), folders: [])
        #expect(strict.excess()?.reason == .tookTooMuchMemory)
    }

    @Test func aProcessThatHasEndedHasTakenNothing() throws {
        let ended = try ChildProgram.start("/bin/true", arguments: [], descriptors: [])
        let process = try ProcessDescriptor.open(ended.processID)
        try #require(process.hasEnded(within: 60_000))
        var watch = LimitWatch(of: ended.processID, Self.limits, folders: [])
        for _ in 0..<10 { #expect(watch.excess() == nil) }
        #expect(try ended.wait() == .exited(0))
    }

    @Test func openFilesWithoutANameCount() throws {
        let folder = try TestFolder()
        let other = try TestFolder()
        try folder.link("link", to: folder.path)
        var watch = LimitWatch(of: getpid(), Self.limits, folders: [folder.path + "/link"])
        var files: [FileDescriptor] = []
        for place in [folder, other] {
            let removed = try place.file("removed", [UInt8](repeating: 1, count: 8 << 20))
            let kept = try place.file("kept", [UInt8](repeating: 1, count: 8 << 20))
            try retrying { unlinkat(place.descriptor.rawValue, "removed", 0) }
            files += [removed, kept]
        }
        _ = watch.excess()
        #expect((8 << 20...9 << 20).contains(watch.namelessBytes))
        let second = try #require(files.first).duplicate()
        _ = watch.excess()
        #expect(watch.namelessBytes <= 9 << 20)
        files = []
        withExtendedLifetime(second) { _ = watch.excess() }
        #expect(watch.namelessBytes >= 8 << 20)
    }

    /// Root reads the tables of all processes, so another user watches.
    @Test(.enabled(if: geteuid() == 0)) func aProcessThatHidesItsDescriptorsIsBeyondItsLimits() async {
        await #expect(processExitsWith: .success) {
            let folder = try UnprivilegedAttackTests.becomeAnother { folder in
                let copy = try ChildProgram.start(
                    "/bin/cp", arguments: ["/bin/sleep", folder + "/sleep"], descriptors: []
                ).wait()
                try #require(copy == .exited(0))
                try retrying { chmod(folder + "/sleep", 0o111) }
            }
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let sleeper = try ChildProgram.start(folder + "/sleep", arguments: ["600"], descriptors: [])
            defer {
                kill(sleeper.processID, SIGKILL)
                _ = try? sleeper.wait()
            }
            var watch = LimitWatch(of: sleeper.processID, Self.limits, folders: [])
            let reasons = [watch.excess()?.reason, watch.excess()?.reason]
            #expect(reasons == [nil, .tookTooMuchMemory])
        }
    }
}
