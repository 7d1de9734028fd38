import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Sandbox
import Testing

@Suite struct ConfinementTests {
    private func telling(_ deeds: [String], _ list: [String: Any] = ExtensionFixture.propertyList) throws -> [String?] {
        try ExtensionFixture.run { place in
            let unruly = try place.start(list)
            defer { unruly.end() }
            return deeds.map { unruly.tell($0) }
        }
    }

    @Test func anExtensionAnswersAndMayStartThreads() throws {
        #expect(try telling(["greet", "thread"]) == ["hello", "done"])
    }

    @Test func anExtensionWhoseThreadsAreAllBusyGoesOn() throws {
        #expect(try telling(["busy"]) == ["done"])
    }

    @Test func aHostWithMoreDescriptorsThanAnExtensionMayHaveStartsItAllTheSame() throws {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        // The daemon does the same. No other test needs the lower limit.
        limit.rlim_cur = limit.rlim_max
        setrlimit(descriptors, &limit)
        let many = try (0..<1_100).map { _ in try FileDescriptor.open("/dev/null", .readOnly) }
        #expect(try telling(["greet", "descriptors"]) == ["hello", "0 1 2 3 4"])
        withExtendedLifetime(many) {}
    }

    @Test func anExtensionHasItsContainerAndNothingOfTheCallersEnvironment() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            defer { unruly.end() }
            let container = place.data + "/containers/org.example.unruly"
            #expect(unruly.tell("environment USER") == "\(container) \(container)/tmp -")
            #expect(unruly.tell("write \(container)/Documents/kept") == "done")
            #expect(unruly.tell("descriptors") == "0 1 2 3 4 5")  // 5 is the file just written.
        }
    }

    @Test func anExtensionThatWritesOrReadsOutsideItsContainerIsRefused() throws {
        guard landlockIsThere() else { return }
        try ExtensionFixture.run { place in
            let secret = place.root + "/secret"
            try Data("x".utf8).write(to: URL(fileURLWithPath: secret))
            let unruly = try place.start()
            defer { unruly.end() }
            // The file is absent, or access is refused if the system permits no namespaces.
            let refused = [
                Errno.permissionDenied.description, Errno.noSuchFile.description, Errno(rawValue: EROFS).description,
            ]
            for deed in [
                "write \(place.root)/outside", "read \(secret)",
                "write \(place.data)/extensions/org.example.unruly.appex/Info.plist",
            ] {
                #expect(refused.contains(unruly.tell(deed) ?? ""), "\(deed)")
            }
            #expect(!FileManager.default.fileExists(atPath: place.root + "/outside"))
        }
    }

    @Test func anExtensionChangesNothingThatBelongsToAFileOutsideItsContainer() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            defer { unruly.end() }
            // The extension may read its own bundle, as it may read files that it receives. A descriptor suffices.
            let file = place.data + "/extensions/org.example.unruly.appex/Info.plist"
            let before = try FileStatus.of(file)
            #expect(unruly.tell("change \(file)") == "nothing")
            let after = try FileStatus.of(file)
            #expect(after.permissions == before.permissions && after.owner == before.owner)
            #expect(after.modifiedSeconds == before.modifiedSeconds)
        }
    }

    @Test func foundationGoesOnWorkingInAContainer() throws {
        #expect(try telling(["foundation"]) == ["done"])
    }

    @Test func aFileInAContainerGrowsToALimit() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            defer { unruly.end() }
            let file = place.data + "/containers/org.example.unruly/Documents/large"
            #expect(unruly.tell("grow \(file)") == Errno(rawValue: EFBIG).description)
        }
    }

    @Test func aLinkInAContainerMakesNothingOutsideOfIt() throws {
        for name in ["tmp", "Documents", "Library"] {
            try ExtensionFixture.run { place in
                try place.start().end()
                let outside = place.root + "/outside"
                let container = place.data + "/containers/org.example.unruly"
                try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
                // The extension itself can do the same.
                try FileManager.default.removeItem(atPath: container + "/" + name)
                try FileManager.default.createSymbolicLink(
                    atPath: container + "/" + name, withDestinationPath: outside)
                #expect(throws: (any Error).self) { try place.start() }
                #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
            }
        }
    }

    @Test func anExtensionThatStartsAProcessIsRefused() throws {
        let answers = try telling(["process", "greet"])
        #expect(answers[0] != "done" && answers[0] != nil)
        #expect(answers[1] == "hello")
    }

    @Test func anExtensionReachesNoOtherProcess() throws {
        let refused = Errno.notPermitted.description
        #expect(
            try telling(["signal \(getpid())", "signal 2", "signal 0", "signal -1"]) == [
                refused, refused, refused, refused,
            ])
    }

    @Test func anExtensionMakesNoSocketUnlessItsPropertyListAsksForTheNetwork() throws {
        let refused = Errno.notPermitted.description
        #expect(try telling(["socket \(AF_INET)", "socket \(AF_UNIX)"]) == [refused, refused])
        var list = ExtensionFixture.propertyList
        var described = try #require(list["NSExtension"] as? [String: Any])
        described[ExtensionBundle.networkKey] = true
        list["NSExtension"] = described
        #expect(try telling(["socket \(AF_INET)", "socket \(AF_UNIX)"], list) == ["done", refused])
    }

    @Test func anExtensionThatCrashesIsReportedWithItsSignalAndItsLastLinesAndStartsAgain() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            let other = try place.start()
            defer { other.end() }
            unruly.order("crash")
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .signalled && ending.status == Int(SIGABRT))
            #expect(ending.lastLines == ["about to fall over"])
            #expect(ending.sentence.contains("about to fall over"))
            #expect(other.tell("greet") == "hello")
            let again = try place.start()
            #expect(again.tell("greet") == "hello")
            again.end()
        }
    }

    @Test func anExtensionThatEatsMemoryEndsAtItsLimit() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            unruly.order("eat")
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .signalled || ending.reason == .tookTooMuchMemory)
        }
    }

    @Test func anExtensionThatFillsMemoryFilesIsEndedAtItsLimit() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            unruly.order("memory-files")
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .tookTooMuchMemory && ending.status == 128)
            #expect(ending.sentence.contains("128 MiB of memory"))
        }
    }

    @Test func anExtensionHasNoMemoryThatIsCountedNowhere() throws {
        let refused = Errno.notPermitted.description
        #expect(try telling(["shared", "undumpable"]) == [refused, refused])
    }

    /// Runs in a separate process, because other tests create and close memory files in this one.
    @Test func memoryFilesThatAProcessWasHandedAreNotItsOwn() async {
        await #expect(processExitsWith: .success) {
            let size = 64 << 20
            let before = try #require(LimitWatch.memoryFiles(of: getpid()))
            let megabyte = [UInt8](repeating: 1, count: 1 << 20)
            func fill(_ file: FileDescriptor) throws(Errno) {
                for _ in 0..<size >> 20 {
                    try megabyte.withUnsafeBufferPointer { bytes throws(Errno) in
                        try file.writeAll(UnsafeRawBufferPointer(bytes))
                    }
                }
            }
            let handed = try MemoryFile.sealed(name: "handed", filling: fill)
            #expect(try #require(LimitWatch.memoryFiles(of: getpid())) < before + size / 2)
            let own = try MemoryFile.create(name: "own")
            try fill(own)
            #expect(try #require(LimitWatch.memoryFiles(of: getpid())) >= before + size / 2)
            withExtendedLifetime((handed, own)) {}
        }
    }

    @Test func anExtensionThatHangsIsEndedAtItsTimeLimit() throws {
        try ExtensionFixture.run { place in
            var list = ExtensionFixture.propertyList
            var described = try #require(list["NSExtension"] as? [String: Any])
            described[ExtensionBundle.timeKey] = 1
            list["NSExtension"] = described
            let unruly = try place.start(list)
            unruly.order("hang")
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .timedOut && ending.status == 1)
            #expect(ending.sentence.contains("did not answer within 1 second"))
        }
    }

    @Test func anExtensionWhoseCallerHasEnoughIsEnded() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            unruly.order("hang")
            unruly.run.release()
            #expect(unruly.run.waitForEnd().reason == .released)
        }
    }

    /// Whether the kernel has Landlock. Without it there is nothing to test, which is a failure in continuous
    /// integration.
    private func landlockIsThere() -> Bool {
        guard let missing = Layers.missing.first(where: { $0.contains("no Landlock") }) else { return true }
        if getenv("CI") != nil { Issue.record("\(missing)") }
        return false
    }
}
