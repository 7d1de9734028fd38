import FileCoordination
import Foundation
import Glibc
import ProgramTesting
import TestThreads
import Testing

/// File coordination between a daemon and three or more programs.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CoordinationAcrossProcessesTests {
    private func peers(_ count: Int, of daemon: PrivateDaemon) throws -> [PeerProcess] {
        try (0..<count).map { _ in try daemon.peer(program: TestProcess.program("CoordinationPeer")) }
    }

    private func file(_ daemon: PrivateDaemon, _ name: String = "a.txt", _ text: String = "text") throws -> String {
        let path = daemon.work + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Makes a process claim a file, and waits until the claim is granted.
    private func hold(_ peer: PeerProcess, _ command: String) async throws {
        try await peer.ask(command, "asked")
        try await peer.hear("granted")
    }

    @Test func readersGoTogetherAndAWriterWaitsForAllOfThem() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(4, of: daemon)
            try await hold(peers[0], "read \(path)")
            try await hold(peers[1], "read \(path)")
            try await peers[2].ask("write \(path)", "asked")
            try await daemon.hasClaims(3)
            // A reader that arrives after the writer waits behind it.
            try await peers[3].ask("read \(path)", "asked")
            try await daemon.hasClaims(4)
            try await peers[0].ask("end", "ended")
            #expect(peers[2].unheard.isEmpty)
            try await peers[1].ask("end", "ended")
            try await peers[2].hear("granted")
            #expect(peers[3].unheard.isEmpty)
            try await peers[2].ask("end", "ended")
            try await peers[3].hear("granted")
            try await peers[3].ask("end", "ended")
        }
    }

    @Test func aProcessThatDiesGivesFreeWhatItHeldAndWaitedFor() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], "write \(path)")
            try await peers[1].ask("write \(path)", "asked")
            try await daemon.hasClaims(2)
            try await peers[2].ask("read \(path)", "asked")
            try await daemon.hasClaims(3)
            peers[0].signal(SIGKILL)
            try await peers[1].hear("granted")
            peers[1].signal(SIGKILL)
            try await peers[2].hear("granted")
        }
    }

    @Test func noIncrementIsLostBetweenFiveProcesses() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon, "number", "0")
            let peers = try peers(5, of: daemon)
            for peer in peers { peer.tell("count 200 \(path)") }
            for peer in peers { try await peer.hear("counted") }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "1000")
        }
    }

    @Test func presentersInOtherProcessesSaveMakeWayAndLearn() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await peers[0].ask("saving \(path) saved", "presenting")
            try await peers[1].ask("present \(daemon.work)", "presenting")
            #expect(try await peers[2].ask("contents \(path)", "contents") == "saved")
            try await peers[0].hear("told to reader")
            try await peers[0].hear("told save")
            try await peers[0].hear("told from reader")
            try await peers[1].hear("told subitem a.txt changed")
            try await peers[2].ask("replace \(path) new", "replaced")
            try await peers[0].hear("told to writer")
            try await peers[0].hear("told from writer")
            try await peers[0].hear("told changed")
            try await peers[1].hear("told subitem a.txt changed")
            try await peers[0].ask("absent", "absent")
            try await peers[2].ask("replace \(path) newer", "replaced")
            try await peers[1].hear("told subitem a.txt changed")
            #expect(peers[0].unheard.isEmpty)
        }
    }

    @Test func aMoveIsToldToOtherProcessesWithoutBeingAnnounced() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await peers[0].ask("present \(path)", "presenting")
            try await peers[1].ask("present \(daemon.work)", "presenting")
            try await peers[2].ask("move \(path) \(daemon.work)/b.txt", "moved")
            try await peers[0].hear("told moved to b.txt")
            try await peers[1].hear("told subitem a.txt changed")
            try await peers[1].hear("told subitem b.txt changed")
            try await peers[2].ask("move \(daemon.work)/b.txt \(daemon.work)/c.txt", "moved")
            try await peers[0].hear("told moved to c.txt")
        }
    }

    @Test func versionsAreToldToPresentersInOtherProcesses() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await peers[0].ask("present \(path)", "presenting")
            try await peers[1].ask("present \(daemon.work)", "presenting")
            try await peers[2].ask("version \(path) theirs", "added")
            #expect(try await peers[0].hear("told gained") == "theirs of elsewhere")
            #expect(try await peers[1].hear("told in a.txt") == "theirs of elsewhere")
            // Any process may resolve a conflict version that another one added.
            try await peers[1].ask("resolve \(path)", "resolved")
            #expect(try await peers[0].hear("told resolved") == "theirs of elsewhere")
            try await peers[2].ask("discard \(path)", "discarded")
            #expect(try await peers[0].hear("told lost") == "nothing of elsewhere")
        }
    }

    @Test func aPresenterThatNeverAnswersIsWaitedForOnlySoLong() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            var environment = TestProcess.environment(home: daemon.home)
            environment.append("PURVEY_PRESENTER_TIME_LIMIT=0.3")
            let peers = try peers(1, of: daemon)
            try await peers[0].ask("obstinate \(path)", "presenting")
            let writer = try PeerProcess(TestProcess.program("CoordinationPeer"), environment: environment)
            try await writer.ask("replace \(path) new", "replaced")
            await writer.end()
            // The log entry is written after the writer was granted.
            try await eventually {
                try String(contentsOfFile: daemon.home + "/daemon.log", encoding: .utf8)
                    .contains("the presenter of \(path) has not answered for 0.3 s")
            }
        }
    }

    @Test func aPresentersProcessThatDiesDoesNotHoldUpAWriter() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(2, of: daemon)
            try await peers[0].ask("obstinate \(path)", "presenting")
            peers[1].tell("replace \(path) new")
            try await peers[0].hear("told to writer")
            peers[0].signal(SIGKILL)
            try await peers[1].hear("replaced")
        }
    }

    @Test func aPresentersProcessThatIsStoppedIsWaitedForOnlySoLong() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(1, of: daemon)
            try await peers[0].ask("present \(path)", "presenting")
            try peers[0].stop()
            var environment = TestProcess.environment(home: daemon.home)
            environment.append("PURVEY_PRESENTER_TIME_LIMIT=0.3")
            let writer = try PeerProcess(TestProcess.program("CoordinationPeer"), environment: environment)
            try await writer.ask("replace \(path) new", "replaced")
            await writer.end()
            // The presenter continues as if it had not been stopped.
            peers[0].signal(SIGCONT)
            try await peers[0].hear("told changed")
        }
    }

    @Test func theTimeAPresenterHasIsWhateverTheWritersEnvironmentSays() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(2, of: daemon)
            try await peers[0].ask("obstinate \(path)", "presenting")
            // A writer with a longer time limit is not granted early because of another claim's limit.
            peers[1].tell("replace \(path) patient")
            try await peers[0].hear("told to writer")
            var environment = TestProcess.environment(home: daemon.home)
            environment.append("PURVEY_PRESENTER_TIME_LIMIT=0.05")
            let hasty = try PeerProcess(TestProcess.program("CoordinationPeer"), environment: environment)
            try await hasty.ask("read \(path)", "asked")
            try await daemon.hasClaims(2)
            #expect(peers[1].unheard.isEmpty && !hasty.history.contains { $0.hasPrefix("granted") })
            peers[0].signal(SIGKILL)
            try await peers[1].hear("replaced")
            try await hasty.hear("granted")
            await hasty.end()
        }
    }

    @Test func processesThatWouldWaitForEachOtherAreToldSo() async throws {
        try await PrivateDaemon.run { daemon in
            let (one, two) = (try file(daemon, "one"), try file(daemon, "two"))
            let peers = try peers(2, of: daemon)
            try await peers[0].ask("nest \(one) \(one)", "outer")
            let words = try await peers[0].ask("end", "failed")
            #expect(words.contains("would wait for ever") && words.contains("Script.swift"))
            try await peers[0].ask("nest \(one) \(two)", "outer")
            try await peers[1].ask("nest \(two) \(one)", "outer")
            peers[0].tell("end")
            try await daemon.hasClaims(3)
            // The process that asks last gets the error, which ends the deadlock for the other.
            let both = try await peers[1].ask("end", "failed")
            #expect(both.components(separatedBy: "Script.swift").count == 3, "\(both)")
            #expect(both.contains("CoordinationPeer (process \(peers[0].processID))"))
            try await peers[0].hear("nested")
        }
    }

    @Test func aProcessThatCannotSayWhereItMadeAClaimIsNamed() async throws {
        try await PrivateDaemon.run { daemon in
            let (one, two) = (try file(daemon, "one"), try file(daemon, "two"))
            let peers = try peers(2, of: daemon)
            try await peers[0].ask("nest \(one) \(two)", "outer")
            try await peers[1].ask("nest \(two) \(one)", "outer")
            peers[0].tell("end")
            try await daemon.hasClaims(3)
            try peers[0].stop()
            let words = try await peers[1].ask("end", "failed")
            #expect(words.contains("a place in CoordinationPeer (process \(peers[0].processID))"), "\(words)")
            peers[0].signal(SIGCONT)
            try await peers[0].hear("nested")
        }
    }

    @Test func heldClaimsOutliveTheDaemon() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], "write \(path)")
            try await peers[1].ask("read \(path)", "asked")
            await daemon.kill()
            // The processes start another daemon and report their claims to it.
            try await peers[2].ask("write \(path)", "asked")
            try await daemon.hasClaims(3)
            #expect(peers[1].unheard.isEmpty && peers[2].unheard.isEmpty)
            try await peers[0].ask("end", "ended")
            // The order is that in which they connected to the new daemon.
            await eventually { peers[1...].contains { !$0.unheard.isEmpty } }
            let first = peers[1].unheard.isEmpty ? 2 : 1
            try await peers[first].hear("granted")
            try await peers[first].ask("end", "ended")
            try await peers[3 - first].hear("granted")
        }
    }

    @Test func thousandsOfClaimsOfOneProcessWaitAndOthersAreServed() async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], "write \(daemon.work)")
            peers[1].tell("flood 10000 \(daemon.work)")
            peers[2].tell("replace \(daemon.home)/elsewhere new")
            try await peers[2].hear("replaced")
            try await peers[0].ask("end", "ended")
            try await peers[1].hear("flooded")
            #expect(try await peers[2].ask("contents \(path)", "contents") == "text")
        }
    }

    @Test func aProcessThatDoesNotListenDelaysNoOtherAndGetsLaterNotices() async throws {
        try await PrivateDaemon.run { daemon in
            let number = try file(daemon, "number", "0")
            let peers = try peers(3, of: daemon)
            try await peers[0].ask("present \(daemon.work)", "presenting")
            peers[0].signal(SIGSTOP)
            // More notifications than the daemon buffers for one process before it stops reading from it.
            for peer in peers[1...] { peer.tell("count 2000 \(number)") }
            for peer in peers[1...] { try await peer.hear("counted") }
            #expect(try String(contentsOfFile: number, encoding: .utf8) == "4000")
            peers[0].signal(SIGCONT)
            try await peers[1].ask("replace \(daemon.work)/last new", "replaced")
            try await peers[0].hear("told subitem last changed")
            #expect(try await peers[0].ask("contents \(daemon.work)/last", "contents") == "new")
        }
    }

    @Test(arguments: ["coordinated", "in-place"], ["data", "copy"])
    func anItemIsReadUnderACoordinatedRead(kind: String, way: String) async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon)
            let peers = try peers(4, of: daemon)
            try await peers[0].ask("offer \(path) \(kind)", "offered")
            // A third process edits the file, and saves it when it is about to be read.
            try await peers[1].ask("saving \(path) saved", "presenting")
            #expect(try await peers[2].ask("load board \(way)", "loaded") == "saved")
            try await peers[1].ask("absent", "absent")
            // A load waits for a writer.
            try await hold(peers[3], "write \(path)")
            peers[2].tell("load board \(way)")
            try await daemon.hasClaims(2)
            #expect(peers[2].unheard.isEmpty)
            try await peers[3].ask("end", "ended")
            #expect(try await peers[2].hear("loaded") == "saved")
        }
    }

    @Test(arguments: ["coordinated", "in-place"], ["archive", "copy"])
    func aFolderIsZippedAndCopiedUnderACoordinatedRead(kind: String, way: String) async throws {
        try await PrivateDaemon.run { daemon in
            let path = try file(daemon, "folder/a.txt")
            let peers = try peers(4, of: daemon)
            try await peers[0].ask("offer \(daemon.work)/folder \(kind)", "offered")
            try await peers[1].ask("saving \(path) saved", "presenting")
            func contents(of destination: String) async throws -> String? {
                if way == "copy" { return try String(contentsOfFile: destination + "/a.txt", encoding: .utf8) }
                return try await RunningProgram("/usr/bin/unzip", ["-p", destination, "*a.txt"]).end().text
            }
            try await peers[2].ask("loadfolder board \(way) \(daemon.work)/first", "loaded")
            #expect(try await contents(of: daemon.work + "/first") == "saved")
            try await peers[1].ask("absent", "absent")
            // Another process writes beneath the directory.
            try await hold(peers[3], "write \(path)")
            peers[2].tell("loadfolder board \(way) \(daemon.work)/second")
            try await daemon.hasClaims(2)
            #expect(peers[2].unheard.isEmpty)
            try Data("written".utf8).write(to: URL(fileURLWithPath: path))
            try await peers[3].ask("end", "ended")
            try await peers[2].hear("loaded")
            #expect(try await contents(of: daemon.work + "/second") == "written")
        }
    }

    @Test func theDaemonIsStartedWhenItIsNeeded() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let path = try file(daemon)
            let peers = try peers(3, of: daemon)
            try await hold(peers[0], "write \(path)")
            try await peers[1].ask("write \(path)", "asked")
            try await peers[0].ask("end", "ended")
            try await peers[1].hear("granted")
            try await peers[1].ask("end", "ended")
            #expect(try await peers[2].ask("contents \(path)", "contents") == "text")
            // The process that started the daemon may end a moment later.
            await eventually { daemon.daemonProcesses.count == 1 }
        }
    }

    @Test func withoutADaemonAProcessCoordinatesAlone() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let path = try file(daemon)
            let environment =
                TestProcess.environment(home: daemon.home).filter { !$0.hasPrefix("PURVEY_DAEMON=") }
                + ["PURVEY_DAEMON=/does/not/exist"]
            let peer = try PeerProcess(TestProcess.program("CoordinationPeer"), environment: environment)
            try await hold(peer, "write \(path)")
            try await peer.ask("read \(path)", "asked")
            try await peer.ask("end", "ended")
            try await peer.hear("granted")
            // The process reports its end before it releases the claim.
            #expect(peer.history.filter { $0 != "asked" } == ["granted \(path)", "ended", "granted \(path)"])
            await peer.end()
        }
    }
}
