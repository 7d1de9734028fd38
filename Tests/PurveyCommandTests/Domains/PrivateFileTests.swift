import Foundation
import Glibc
import LinuxSystem
import Testing

/// Tests of files that only their owner may read.
@Suite(.timeLimit(.minutes(20))) struct PrivateFileTests {
    @Test func aFileThatIsMadePrivateInAMountIsPrivateInTheServedFolder() async throws {
        let modes: [(name: String, mode: mode_t)] = [
            ("secret", 0o600), ("tool", 0o700), ("letter", 0o644), ("program", 0o755),
        ]
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            for (name, mode) in modes {
                let path = cloud.mount + "/" + name
                try await onThread {
                    let file = try FileDescriptor.open(path, [.writeOnly, .create, .exclusive], permissions: mode)
                    // The mode does not depend on the mask of this process.
                    try retrying { fchmod(file.rawValue, mode) }
                    try Array(name.utf8).withUnsafeBytes { try file.writeAll($0) }
                }
            }
            for (name, mode) in modes {
                try await cloud.eventually("\(name) is in the folder") {
                    await cloud.contents(cloud.cloud + "/" + name) == name
                }
                let served = try FileStatus.of(cloud.cloud + "/" + name).permissions
                #expect(served == mode, "\(name): \(String(served, radix: 8))")
            }
        }
    }
}
