import DaemonTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Faults of the bus, or of the process that serves it. They must not affect the daemon.
@Suite(.timeLimit(.minutes(20))) struct BusFaultTests {
    @Test func aProcessThatDiesIsStartedAgain() async throws {
        try await BusFixture.run { place in
            for _ in 0..<2 {
                let process = try #require(place.processes.first)
                kill(process, SIGKILL)
                try await place.eventually("there is another") { place.processes.first.map { $0 != process } ?? false }
                try await place.eventually("the domain is on the bus") {
                    try await place.objects().contains("'Name': <'Cloud'>")
                }
            }
            #expect(place.processes.count == 1)
            let monitor = try await place.listen()
            try await place.write("new", to: "new.txt")
            #expect(try await monitor.hasPrinted("('\(place.mount)/new.txt'"))
        }
    }

    @Test func aBusThatDiesAndReturnsHasTheDomainsAgain() async throws {
        try await BusFixture.run { place in
            await place.bus.end()
            try await place.eventually("the process has ended") { place.processes.isEmpty }
            try await place.write("new", to: "new.txt")
            try await place.succeed("ls", "Cloud:")
            try FileManager.default.removeItem(atPath: place.bus.socket)
            try await place.bus.start()
            try await place.eventually("the domain is on the bus") {
                try await place.objects().contains("'Name': <'Cloud'>")
            }
            #expect(try await place.state("Cloud:new.txt").contains("'kind': <'file'>"))
        }
    }

    @Test func changesDuringAStalledBusAreReportedAfterwards() async throws {
        try await BusFixture.run { place in
            let monitor = try await place.listen()
            place.bus.send(SIGSTOP)
            for number in 0..<100 { try await place.write("new \(number)", to: "new \(number).txt") }
            try await place.succeed("status")
            place.bus.send(SIGCONT)
            #expect(try await monitor.hasPrinted("('\(place.mount)/new 99.txt'"))
            #expect(try await monitor.hasPrinted("('\(place.mount)/new 0.txt'"))
        }
    }

    @Test func aProcessThatHangsNeitherDelaysTheDaemonNorOutlivesIt() async throws {
        try await BusFixture.run { place in
            let process = try #require(place.processes.first)
            kill(process, SIGSTOP)
            for number in 0..<20 { try await place.write("new", to: "new \(number).txt") }
            try await place.succeed("status")
            let ending = try await onThread { [daemon = place.daemon] in daemon.end() }
            #expect(ending == .exited(0))
            try await place.eventually("the process is gone") { !ProcessState.isAlive(process) }
        }
    }

    @Test func theProcessEndsWithADaemonThatIsKilled() async throws {
        try await BusFixture.run { place in
            let process = try #require(place.processes.first)
            try await onThread { [daemon = place.daemon] in daemon.kill() }
            try await place.eventually("the process is gone") { !ProcessState.isAlive(process) }
        }
    }

    @Test(arguments: [
        ["PURVEY_BUS=none"], ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=/nonexistent"],
        ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"],
        ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=nonsense"],
    ])
    func aDaemonWithoutABusDoesItsWork(_ variables: [String]) async throws {
        try await BusFixture.run({ _ in variables }, isShown: false) { place in
            try await place.write("new", to: "new.txt")
            try await place.eventually("the edit arrives") {
                try await place.tell { try? $0.text("new.txt") } == "new"
            }
            #expect(try await place.succeed("ls", "Cloud:").contains("new.txt"))
        }
    }

    @Test func theBusOfTheUsersRuntimeFolderIsFound() async throws {
        try await BusFixture.run({ bus in
            let folder = (bus.socket as NSString).deletingLastPathComponent
            return ["PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=" + folder]
        }) { place in
            #expect(place.processes.count == 1)
        }
    }
}
