import FileProvider
import Foundation
import Testing

/// What there is no such thing of on Linux: it is declared, and says so when it is called.
@Suite struct UnavailableFeatureTests {
    private let manager: NSFileProviderManager

    init() throws {
        let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("d"), displayName: "D")
        manager = try #require(NSFileProviderManager(for: domain))
    }

    private func isUnsupported(_ error: (any Error)?) -> Bool { (error as? CocoaError)?.code == .featureUnsupported }

    @Test func knownFoldersCannotBeClaimed() async throws {
        let locations = NSFileProviderKnownFolderLocations()
        locations.desktopLocation = .init(parentItemIdentifier: .rootContainer, filename: "Desktop")
        locations.documentsLocation = .init(existingItemIdentifier: NSFileProviderItemIdentifier("documents"))
        locations.shouldCreateBinaryCompatibilitySymlink = false
        #expect(locations.desktopLocation?.filename == "Desktop")
        #expect(locations.desktopLocation?.parentItemIdentifier == .rootContainer)
        #expect(locations.documentsLocation?.existingItemIdentifier?.rawValue == "documents")
        await #expect { try await manager.claimKnownFolders(locations, localizedReason: "r") } throws: {
            isUnsupported($0)
        }
        await #expect { try await manager.releaseKnownFolders([.desktop, .documents], localizedReason: "r") } throws: {
            isUnsupported($0)
        }
        let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("e"), displayName: "E")
        domain.supportedKnownFolders = .desktop
        #expect(domain.supportedKnownFolders == .desktop && domain.replicatedKnownFolders.isEmpty)
    }

    @Test func aProviderMayKnowPlacesForKnownFolders() async {
        final class Provider: NSObject, NSFileProviderKnownFolderSupporting {
            func getKnownFolderLocations(
                _ knownFolders: NSFileProviderKnownFolders,
                completionHandler: @escaping @Sendable (NSFileProviderKnownFolderLocations?, (any Error)?) -> Void
            ) { completionHandler(NSFileProviderKnownFolderLocations(), nil) }
        }
        let found = await withCheckedContinuation { continuation in
            Provider().getKnownFolderLocations(.desktop) { locations, _ in
                continuation.resume(returning: locations != nil)
            }
        }
        #expect(found)
    }

    @Test func thereAreNoStepsToTake() {
        #expect { try manager.listAvailableTestingOperations() } throws: { isUnsupported($0) }
        #expect { try manager.run([]) } throws: { isUnsupported($0) }
        #expect(NSFileProviderTestingOperationType.collisionResolution.rawValue == 7)
        #expect(NSFileProviderTestingOperationSide.fileProvider.rawValue == 1)
    }

    @Test func aTestMayHaveStepsOfItsOwn() {
        final class Fetch: NSObject, NSFileProviderTestingContentFetch {
            let type = NSFileProviderTestingOperationType.contentFetch
            let side = NSFileProviderTestingOperationSide.disk
            let itemIdentifier = NSFileProviderItemIdentifier("i")
        }
        let steps: [any NSFileProviderTestingOperation] = [Fetch()]
        let fetches = steps.compactMap { $0 as? any NSFileProviderTestingContentFetch }
        #expect(fetches.map(\.itemIdentifier.rawValue) == ["i"])
        #expect(!steps.contains { $0 is any NSFileProviderTestingDeletion })
    }

    @Test func noVolumeTakesDomains() throws {
        let folder = FileManager.default.temporaryDirectory
        #expect(try NSFileProviderManager.checkDomainsCanBeStoredOnVolume(at: folder) == .ineligible(.unknown))
        #expect(throws: (any Error).self) {
            try NSFileProviderManager.checkDomainsCanBeStoredOnVolume(at: folder.appendingPathComponent("missing"))
        }
    }

    @Test func aProviderAnswersOfExternalVolumesInEitherForm() async throws {
        final class WithHandler: NSObject, NSFileProviderExternalVolumeHandling, Sendable {
            func shouldConnectExternalDomain(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
                completionHandler(CocoaError(.userCancelled))
            }
        }
        final class Asynchronous: NSObject, NSFileProviderExternalVolumeHandling, Sendable {
            func shouldConnectExternalDomain() async throws {}
        }
        final class Neither: NSObject, NSFileProviderExternalVolumeHandling, Sendable {}
        await #expect(throws: CocoaError.self) { try await WithHandler().shouldConnectExternalDomain() }
        let error = await withCheckedContinuation { continuation in
            Asynchronous().shouldConnectExternalDomain { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        await #expect { try await Neither().shouldConnectExternalDomain() } throws: { isUnsupported($0) }
    }
}
