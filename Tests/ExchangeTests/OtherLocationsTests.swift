import Conduit
import Exchange
import Foundation
import Glibc
import Testing

/// A daemon at the socket that a process uses, but with other directories.
@Suite struct OtherLocationsTests {
    private func locations(_ daemon: PrivateDaemon, data: String? = nil, mounts: String? = nil) -> Locations {
        Locations(
            runtime: daemon.locations.runtime, data: data ?? daemon.locations.data,
            mounts: mounts ?? daemon.locations.mounts)
    }

    @Test func itIsRefusedInOneSentence() async throws {
        try await PrivateDaemon.run { daemon in
            let elsewhere = daemon.work + "/elsewhere"
            for (other, words, ours) in [
                (locations(daemon, data: elsewhere), "keeps its data in \(daemon.locations.data)", "keep its own"),
                (locations(daemon, mounts: elsewhere), "mounts in \(daemon.locations.mounts)", "mount"),
            ] {
                let sentence =
                    "the daemon at \(daemon.locations.socket) \(words), and this program would \(ours) in \(elsewhere): "
                    + "end that daemon (process \(daemon.processID)), or set HOME and XDG_DATA_HOME as it has them"
                let client = ExchangeClient(other)
                await #expect(throws: ExchangeError.refused(sentence)) {
                    try await Board("board", client: client).items()
                }
                // Requests about file providers use a connection of their own.
                let entrance = DaemonConnector { other }
                try await offPool { () throws in
                    let connection = try entrance.connect(Service())
                    #expect(throws: ExchangeError.refused(sentence)) { try entrance.check(connection) }
                    connection.close()
                }
            }
        }
    }

    @Test func anotherNameOfTheSameFolderIsTheSame() async throws {
        try await PrivateDaemon.run { daemon in
            let link = daemon.work + "/link"
            symlink(daemon.home, link)
            let client = ExchangeClient(
                locations(daemon, data: link + "/data", mounts: daemon.home + "//work/../mounts"))
            let items = try await Board("board", client: client).items()
            #expect(items.isEmpty)
            client.disconnect()
        }
    }

    @Test func aDaemonThatAProcessStartsKeepsThingsWhereTheProcessLooks() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            // The environment of this process has another value.
            #expect(getenv("PURVEY_HOME").map { String(cString: $0) } != daemon.home)
            let folders = try await daemon.client.call(FoldersCall())
            #expect(folders.data == daemon.locations.data && folders.mounts == daemon.locations.mounts)
            #expect(FileManager.default.fileExists(atPath: daemon.locations.data))
        }
    }

    @Test func aDaemonThatDoesNotKnowTheQuestionServes() async throws {
        try await PrivateService.run(ExchangeLimits()) { client in
            let items = try await Board("board", client: client).items()
            #expect(items.isEmpty)
        }
    }
}
