import FileProvider
import Foundation
import Testing

@Suite struct DomainTests {
    @Test func aDomainIsWhatItWasMadeWith() {
        let kept = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("a"), displayName: "A", pathRelativeToDocumentStorage: "path")
        #expect(kept.identifier.rawValue == "a")
        #expect(kept.displayName == "A")
        #expect(kept.pathRelativeToDocumentStorage == "path")
        #expect(!kept.isReplicated)
        let replicated = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("b"), displayName: "B")
        #expect(replicated.isReplicated)
        #expect(replicated.pathRelativeToDocumentStorage.isEmpty)
        #expect(replicated.volumeUUID == nil)
    }

    @Test func propertiesOfADomainAreKept() {
        let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("a"), displayName: "A")
        #expect(domain.userEnabled && !domain.isDisconnected && !domain.isHidden && domain.supportsSyncingTrash)
        #expect(domain.backingStoreIdentity == nil)
        domain.isHidden = true
        domain.supportsSyncingTrash = false
        domain.testingModes = [.alwaysEnabled, .interactive]
        domain.userInfo = ["path": "/folder"]
        domain.set(isEnabled: false, isDisconnected: true, backingStoreIdentity: Data([1]))
        #expect(!domain.userEnabled && domain.isDisconnected && domain.isHidden && !domain.supportsSyncingTrash)
        #expect(domain.testingModes == NSFileProviderDomain.TestingModes(rawValue: 3))
        #expect(domain.userInfo?["path"] as? String == "/folder")
        #expect(domain.backingStoreIdentity == Data([1]))
    }

    @Test func identifiersThatAreNoNamesAreRefused() {
        for bad in ["", ".", "..", "a/b", "a:b", "a\0", String(repeating: "x", count: 256)] {
            let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier(bad), displayName: "A")
            #expect(NSFileProviderManager(for: domain) == nil)
        }
    }

    @Test func versionsOfADomainGrow() throws {
        let version = NSFileProviderDomainVersion()
        let next = version.next()
        #expect(version < next)
        #expect(!(next < version))
        #expect(next > version)
        #expect(version == NSFileProviderDomainVersion())
        #expect(version.hash == NSFileProviderDomainVersion().hash)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: next, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSFileProviderDomainVersion.self, from: archive)
        #expect(read == next)
        #expect(read?.description == "1")
    }
}
