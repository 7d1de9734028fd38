import FileProvider
import Foundation
import Testing

/// Features that Linux lacks. They are declared, and fail with a documented error.
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
        let errors = await withCheckedContinuation { continuation in
            manager.claimKnownFolders(locations, localizedReason: "r") { claimed in
                manager.releaseKnownFolders(.desktop, localizedReason: "r") { released in
                    continuation.resume(returning: [claimed, released])
                }
            }
        }
        #expect(errors.allSatisfy(isUnsupported))
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
        let item = TestStep.Item()
        let steps: [any NSFileProviderTestingOperation] = [
            TestStep.Ingestion(), TestStep.Lookup(), TestStep.Creation(), TestStep.Modification(), TestStep.Deletion(),
            TestStep.ContentFetch(), TestStep.ChildrenEnumeration(), TestStep.CollisionResolution(),
        ]
        #expect(
            steps.map(\.type) == [
                .ingestion, .lookup, .creation, .modification, .deletion, .contentFetch, .childrenEnumeration,
                .collisionResolution,
            ])
        var told: [String] = []
        for step in steps {
            switch step {
            case let step as any NSFileProviderTestingIngestion:
                told.append("\(step.side) \(step.itemIdentifier.rawValue) \(step.item == nil)")
            case let step as any NSFileProviderTestingLookup:
                told.append("\(step.side) \(step.itemIdentifier.rawValue)")
            case let step as any NSFileProviderTestingCreation:
                told.append("\(step.targetSide) \(step.sourceItem.filename) \(step.domainVersion == nil)")
            case let step as any NSFileProviderTestingModification:
                let version = step.targetItemBaseVersion.contentVersion.count
                told.append(
                    "\(step.targetSide) \(step.sourceItem.filename) \(step.changedFields == .contents) \(version)")
                told.append("\(step.targetItemIdentifier.rawValue) \(step.domainVersion == nil)")
            case let step as any NSFileProviderTestingDeletion:
                told.append("\(step.targetSide) \(step.sourceItemIdentifier.rawValue) \(step.domainVersion == nil)")
                told.append("\(step.targetItemIdentifier.rawValue) \(step.targetItemBaseVersion.contentVersion.count)")
            case let step as any NSFileProviderTestingContentFetch:
                told.append("\(step.side) \(step.itemIdentifier.rawValue)")
            case let step as any NSFileProviderTestingChildrenEnumeration:
                told.append("\(step.side) \(step.itemIdentifier.rawValue)")
            case let step as any NSFileProviderTestingCollisionResolution:
                told.append("\(step.side) \(step.renamedItem.filename)")
            default: told.append("unknown")
            }
        }
        #expect(
            told == [
                "disk i true", "disk i", "fileProvider \(item.filename) true", "disk \(item.filename) true 0", "i true",
                "disk i true", "i 0", "disk i", "fileProvider i", "disk \(item.filename)",
            ])
    }

    @Test func noVolumeTakesDomains() throws {
        let folder = FileManager.default.temporaryDirectory
        let result = try NSFileProviderManager.checkDomainsCanBeStoredOnVolume(at: folder)
        #expect(result == .ineligible(.unknown) && result != .eligible)
        let reasons: NSFileProviderVolumeUnsupportedReason = [
            .nonAPFS, .nonEncrypted, .readOnly, .network, .quarantined,
        ]
        #expect(reasons.rawValue == 0b111110)
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
