import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// Evasions of the daemon's watch that succeeded against an earlier version, and permitted behaviour that resembles
/// them.
@Suite struct WatchTests {
    private func ending(
        after deeds: [String], network: Bool = false, isExcessive: Bool = false
    ) throws -> ExtensionEnding {
        try ExtensionFixture.run { place in
            var list = ExtensionFixture.propertyList
            var described = try #require(list["NSExtension"] as? [String: Any])
            described[ExtensionBundle.networkKey] = network
            list["NSExtension"] = described
            let unruly = try place.start(list)
            // The watch looks some times before the process ends by itself. One that is over a limit waits for that.
            for deed in deeds + (isExcessive ? ["hang"] : ["sleep 1500", "exit 7"]) { unruly.order(deed) }
            return unruly.run.waitForEnd()
        }
    }

    @Test(arguments: ["leaderless", "hidden"]) func memoryIsCountedWhenTheFirstThreadHasEnded(_ deed: String) throws {
        let ending = try ending(after: [deed], isExcessive: true)
        #expect(ending.reason == .tookTooMuchMemory && ending.status == 128, "\(ending)")
    }

    @Test func aMemoryFileThatIsOpenAndMappedCountsOnce() throws {
        let ending = try ending(after: ["map 80", "split 1000"])
        #expect(ending.reason == .exited && ending.status == 7, "\(ending)")
    }

    @Test func mappingsThatTakeLongToReadEndTheProcess() throws {
        let ending = try ending(after: ["map 80", "split 20000"], isExcessive: true)
        #expect(ending.reason == .tookTooMuchMemory && ending.status == 128, "\(ending)")
    }

    @Test func sixtyFourConnectionsAreWithinTheLimit() throws {
        let ending = try ending(after: ["connect 32"], network: true)
        #expect(ending.reason == .exited && ending.status == 7, "\(ending)")
    }

    @Test func theBuffersOfManyConnectionsAreNot() throws {
        let ending = try ending(after: ["connect 150"], network: true, isExcessive: true)
        #expect(ending.reason == .tookTooMuchMemory && ending.status == 128, "\(ending)")
    }
}
