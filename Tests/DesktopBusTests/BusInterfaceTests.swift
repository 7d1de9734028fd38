import DaemonTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// The interface on the desktop's bus: the domains it shows, and its operations on their files.
@Suite(.timeLimit(.minutes(20))) struct BusInterfaceTests {
    @Test func aDomainIsShownForAsLongAsItIsThere() async throws {
        try await BusFixture.run { place in
            let objects = try await place.objects()
            #expect(objects.contains("'MountPath': <'\(place.mount)'>"))
            #expect(objects.contains("'Connected': <true>") && objects.contains("'NeedsSignIn': <false>"))
            #expect(objects.contains("'State': <'running'>") && objects.contains("'PendingUploads': <uint32 0>"))
            let path = try #require(objects.split(separator: "'").first { $0.hasPrefix(BusFixture.root + "/domains/") })
            let get = "org.freedesktop.DBus.Properties.Get"
            let name = try await place.call(get, "org.purvey.Purvey1.Domain", "Name", on: String(path))
            #expect(name.text == "(<'Cloud'>,)\n")
            let monitor = try await place.listen()
            // A second domain remains, so that the bus process keeps running and reports the removal of the first.
            try await place.succeed(
                "domains", "add", StartedCloud.providerIdentifier, "More", "path=" + place.cloud.folder)
            #expect(try await monitor.hasPrinted("ObjectManager.InterfacesAdded"))
            try await place.succeed("domains", "remove", "Cloud")
            #expect(try await monitor.hasPrinted("InterfacesRemoved (objectpath '\(path)'"))
            try await place.succeed("domains", "remove", "More")
            try await place.eventually("the process has ended") { place.processes.isEmpty }
        }
    }

    @Test func propertiesOfADomainFollowItsState() async throws {
        try await BusFixture.run { place in
            let monitor = try await place.listen()
            try await place.tell { try $0.add(CloudRule(.hold, on: .create)) }
            try await place.write("new", to: "new.txt")
            #expect(try await monitor.hasPrinted("'PendingUploads': <uint32 1>"))
            try await place.tell { try $0.removeRules() }
            #expect(try await monitor.hasPrinted("'PendingUploads': <uint32 0>"))
            try await place.tell { try $0.add(CloudRule(.signOut(password: "open"), on: .create, times: 1)) }
            try await place.write("other", to: "other.txt")
            #expect(try await monitor.hasPrinted("'NeedsSignIn': <true>"))
            #expect(try await monitor.hasPrinted("'Connected': <false>"))
        }
    }

    @Test func statesOfFilesAreToldWithoutAskingTheService() async throws {
        try await BusFixture.run { place in
            try await place.tell {
                try $0.put("a.txt", "bytes")
                try $0.put("inner/b.txt", "more")
            }
            try await place.succeed("ls", "Cloud:")
            let pages = try await place.tell { try pagesOfFolders($0) }
            let states = try await place.files(
                "GetStates",
                "['\(place.mount)/a.txt', 'file://\(place.mount)/./%61.txt', 'Cloud:a.txt', '\(place.mount)/inner/b.txt', '/etc/passwd', 'nothing', 'file:///%ff', '\(place.mount)']"
            )
            let words = states.components(separatedBy: "'state': <'").dropFirst().map { $0.prefix { $0 != "'" } }
            #expect(
                words == [
                    "dataless", "dataless", "dataless", "unknown", "outside", "invalid", "invalid", "current",
                ])
            #expect(states.contains("the path is not UTF-8"))
            #expect(try await place.tell { try pagesOfFolders($0) } == pages)
            #expect(try await place.tell { try $0.count(.contents) } == 0)
        }
    }

    @Test func listenersAreNotifiedOfEveryState() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let monitor = try await place.listen()
            func hears(_ state: String, _ what: String = "", of name: String = "a.txt") async throws -> Bool {
                try await monitor.hasPrinted("('\(place.mount)/\(name)', {'state': <'\(state)'>\(what)")
            }
            #expect(try await place.files("Download", "['Cloud:a.txt']") == "()\n")
            #expect(try await hears("current", ", 'kind': <'file'>, 'kept': <false>"))
            #expect(try await place.state("Cloud:a.txt").contains("'state': <'current'>"))
            #expect(try await place.files("Evict", "['\(place.mount)/a.txt']") == "()\n")
            #expect(try await hears("dataless"))
            try await place.files("Keep", "['Cloud:a.txt']", "true")
            #expect(try await hears("current", ", 'kind': <'file'>, 'kept': <true>"))
            try await place.files("Keep", "['Cloud:a.txt']", "false")
            #expect(try await place.state("Cloud:a.txt").contains("'kept': <false>"))
            try await place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await place.write("edited", to: "a.txt")
            #expect(try await hears("uploading"))
            try await place.tell { try $0.removeRules() }
            try await place.eventually("the edit is with the service") {
                try await place.state("Cloud:a.txt").contains(
                    "'current'>, 'kind': <'file'>, 'kept': <false>, 'uploaded': <true>")
            }
            try await place.tell { try $0.put("far.txt", "from elsewhere") }
            try await place.succeed("signal", "Cloud")
            #expect(try await hears("dataless", of: "far.txt"))
            try await onThread { [mount = place.mount] in try Files.remove(mount + "/a.txt") }
            #expect(try await hears("unknown"))
            try await place.tell { try $0.change { $0.quota = 20 } }
            try await place.write("more than there is room for", to: "large.txt")
            #expect(try await hears("error", of: "large.txt"))
            #expect(try await monitor.hasPrinted("'error': <'The service has no room left.'>"))
            try await place.tell { try $0.change { $0.quota = nil } }
            try await place.files("Retry", "['Cloud:large.txt']")
            #expect(try await hears("current", of: "large.txt"))
        }
    }

    @Test func oneSignalSaysOfAGreatManyFilesWhereToLook() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.fill("many", count: 3000) }
            try await place.succeed("ls", "Cloud:")
            let monitor = try await place.listen()
            try await place.succeed("ls", "Cloud:many")
            #expect(try await monitor.hasPrinted("['\(place.mount)/many']"))
        }
    }

    @Test func failuresAreErrorsWithANameAndASentence() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("folder/a.txt", "bytes") }
            try await place.succeed("keep", "Cloud:folder")
            func error(_ method: String, _ arguments: String...) async throws -> String {
                let run = try await place.bus.gdbus(
                    ["call", "--session", "-d", BusFixture.name, "-o", BusFixture.root, "-m"]
                        + ["org.purvey.Purvey1.Files." + method] + arguments
                ).end()
                #expect(run.status != 0)
                return run.errors
            }
            #expect(
                try await error("Download", "['Cloud:none']").contains("Error.NoSuchFile: Cloud:none: there is no such")
            )
            #expect(
                try await error("Download", "['/etc/passwd']").contains("Error.NoSuchFile: /etc/passwd is in no domain")
            )
            #expect(try await error("Download", "['relative']").contains("Error.InvalidPath: relative: neither"))
            #expect(try await error("Evict", "['file:///%f']").contains("Error.InvalidPath"))
            #expect(try await error("Evict", "['file://elsewhere/a']").contains("Error.InvalidPath"))
            #expect(
                try await error("Evict", "['Cloud:folder/a.txt']").contains("Error.Kept: Cloud:folder/a.txt: it stays"))
            #expect(try await error("Keep", "['Cloud:folder/a.txt']", "false").contains("Error.Kept"))
            #expect(
                try await error("Retry", "['/etc/passwd']").contains("Error.InvalidPath: /etc/passwd is in no domain"))
            let both = try await error("Download", "['Cloud:none', 'Nobody:x']")
            #expect(both.contains("Cloud:none: there is no such") && both.contains("no domain \"Nobody\""))
            let many = "[" + Array(repeating: "'Cloud:a'", count: 5000).joined(separator: ",") + "]"
            #expect(
                try await error("GetStates", many).contains("Error.TooMany: 5000 paths in one call; 4096 are allowed"))
            #expect(try await place.state("Cloud:folder/a.txt").contains("'kept': <true>"))
        }
    }

    @Test func aCallEndsWithItsCaller() async throws {
        try await BusFixture.run { place in
            try await place.tell {
                try $0.put("a.txt", "bytes")
                try $0.add(CloudRule(.hold, on: .contents))
            }
            let method = "org.purvey.Purvey1.Files.Download"
            let caller = try place.bus.gdbus(
                ["call", "--session", "-d", BusFixture.name, "-o", BusFixture.root, "-m", method, "['Cloud:a.txt']"])
            try await place.eventually("the bytes are asked for") { try await place.tell { try $0.held() } > 0 }
            #expect(caller.isRunning)
            caller.send(SIGKILL)
            try await place.eventually("nothing is fetched any more") {
                try await !place.succeed("status").contains("down:")
            }
            try await place.tell { try $0.removeRules() }
            #expect(try await place.state("Cloud:a.txt").contains("'dataless'"))
        }
    }

    @Test func aCallerThatAsksForTooMuchAtOnceIsRefusedAndOthersAreNot() async throws {
        try await BusFixture.run { place in
            try await place.tell {
                try $0.put("a.txt", "bytes")
                try $0.add(CloudRule(.hold, on: .contents))
            }
            let files = 70
            let connection = try await onThread { [address = place.bus.address] in try BusCaller(address) }
            let refusals = Refusals()
            try await withThrowingTaskGroup { group in
                for _ in 0..<files {
                    group.addTask {
                        let error = try await onThread { connection.call("Download", path: "Cloud:a.txt") }
                        guard let error else { return }
                        #expect(error.contains("Error.TooMany"))
                        refusals.count.withLock { $0 += 1 }
                    }
                }
                try await place.eventually("some are refused") { refusals.count.withLock { $0 } == files - 64 }
                #expect(try await place.state("Cloud:").contains("'kind': <'folder'>"))
                try await place.tell { try $0.removeRules() }
                try await group.waitForAll()
            }
            #expect(refusals.count.withLock { $0 } == files - 64)
            #expect(connection.call("Download", path: "Cloud:a.txt") == nil)
        }
    }
}

/// A counter that several tasks share.
private final class Refusals: Sendable {
    let count = Lock(0)
}

/// Returns the number of page requests for directories. The engine requests pages of the trash and of the working set
/// at any time.
private func pagesOfFolders(_ control: CloudControl) throws -> Int {
    try control.requests().count { request in
        if case .page(let container, _, _) = request { container != CloudItem.trash } else { false }
    }
}
