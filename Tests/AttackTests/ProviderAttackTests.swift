import AttackTesting
import Conduit
import DomainMessages
import Exchange
import FileProvider
import FileProviderWire
import FileTesting
import Foundation
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// File providers that send arbitrary replies, and arbitrary other data.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20))), .enabled(if: TestMount.isWanted))
struct ProviderAttackTests {
    private static let domain = "Hostile"
    private static let point = "com.apple.fileprovider-nonui"

    @Test func aProviderThatAnswersAnythingHarmsNoOther() async throws {
        try await AttackedDaemon.run { daemon in
            let folder = daemon.home + "/folder-of-attackers"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await daemon.withstands(TestSample.count(1, of: 20), leaving: Self.mayStay) { seed in
                let role = HostileRole(.provider, seed: seed, packets: 200)
                let identifier = try await daemon.install(role, point: Self.point)
                let client = try daemon.client()
                defer { client.close() }
                // The daemon may say that it cannot add it.
                let settings = [DomainSetting(key: DomainSetting.path, value: folder)]
                _ = try? await client.call(AddDomainCall(provider: identifier, name: Self.domain, settings: settings))
                _ = try? await client.call(SignalDomainCall(name: Self.domain, container: nil))
                // Each request to the provider gets some reply.
                let place = ItemPlace(text: Self.domain + ":", path: daemon.locations.mounts + "/" + Self.domain)
                _ = try? await client.call(ListFolderCall(place: place))
                try await daemon.expectAnswers(seed)
                _ = try? await client.call(RemoveDomainCall(name: Self.domain, keepsEdits: false))
                try await eventually("seed \(seed): the provider has ended") { daemon.children.isEmpty }
                try await eventually("seed \(seed): nothing is mounted") {
                    try MountTable.current().mounts.allSatisfy { !$0.point.hasPrefix(daemon.home) }
                }
            }
        }
    }

    /// Whether a file may remain at a path when the domain is removed. Preserved edits belong to the user.
    private static func mayStay(_ path: String) -> Bool {
        AttackedDaemon.isOfExtension(path) || path.contains("mounts")
    }
}
