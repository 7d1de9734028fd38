import FileProvider
import FileProviderWire
import Foundation
import ItemValues
import Testing

@Suite struct ErrorTests {
    private static let codes: [(NSFileProviderError.Code, Int)] = [
        (NSFileProviderError.notAuthenticated, -1000), (NSFileProviderError.filenameCollision, -1001),
        (NSFileProviderError.syncAnchorExpired, -1002), (NSFileProviderError.pageExpired, -1002),
        (NSFileProviderError.insufficientQuota, -1003), (NSFileProviderError.serverUnreachable, -1004),
        (NSFileProviderError.noSuchItem, -1005), (NSFileProviderError.deletionRejected, -1006),
        (NSFileProviderError.directoryNotEmpty, -1007), (NSFileProviderError.providerNotFound, -2001),
        (NSFileProviderError.providerTranslocated, -2002), (NSFileProviderError.olderExtensionVersionRunning, -2003),
        (NSFileProviderError.newerExtensionVersionFound, -2004), (NSFileProviderError.cannotSynchronize, -2005),
        (NSFileProviderError.nonEvictableChildren, -2006), (NSFileProviderError.unsyncedEdits, -2007),
        (NSFileProviderError.nonEvictable, -2008), (NSFileProviderError.versionNoLongerAvailable, -2009),
        (NSFileProviderError.excludedFromSync, -2010), (NSFileProviderError.domainDisabled, -2011),
        (NSFileProviderError.providerDomainTemporarilyUnavailable, -2012),
        (NSFileProviderError.providerDomainNotFound, -2013), (NSFileProviderError.applicationExtensionNotFound, -2014),
        (NSFileProviderError.localVersionConflictingWithServer, -2015),
    ]
    private static let cases: [NSFileProviderError.Code] = [
        .notAuthenticated, .filenameCollision, .syncAnchorExpired, .pageExpired, .insufficientQuota, .serverUnreachable,
        .noSuchItem, .deletionRejected, .directoryNotEmpty, .providerNotFound, .providerTranslocated,
        .olderExtensionVersionRunning, .newerExtensionVersionFound, .cannotSynchronize, .nonEvictableChildren,
        .unsyncedEdits, .nonEvictable, .versionNoLongerAvailable, .excludedFromSync, .domainDisabled,
        .providerDomainTemporarilyUnavailable, .providerDomainNotFound, .applicationExtensionNotFound,
        .localVersionConflictingWithServer,
    ]

    @Test func aRecordedFailureKeepsAllItsParts() {
        let kinds = (UInt8(0)...UInt8.max).compactMap { ProviderError.Kind(rawValue: $0) }
        for kind in kinds {
            let failure = ProviderError(
                kind, message: "m", domain: "d", code: -3, collidingItem: "c", suggestion: "s")
            #expect(failure.recorded.kind < 0x80)
            #expect(ProviderError(failure.recorded) == failure)
        }
        let unknown = ItemFailure(kind: 0x7F, domain: "d", code: 1, message: "m")
        #expect(ProviderError(unknown).kind == .transient)
    }

    @Test func codesHaveTheirNumbers() {
        #expect(Self.cases == Self.codes.map { $0.0 })
        for (code, number) in Self.codes {
            #expect(code.rawValue == number)
            #expect(NSFileProviderError.Code(rawValue: number) == code)
            #expect(!NSFileProviderError(code).localizedDescription.isEmpty)
        }
        let domains: (String, String) = (NSFileProviderError.errorDomain, NSFileProviderErrorDomain)
        #expect(domains.0 == "NSFileProviderErrorDomain")
        #expect(domains.1 == domains.0)
    }

    @Test func anErrorIsCaughtByItsCode() {
        func name(_ error: any Error) -> String {
            do { throw error } catch NSFileProviderError.noSuchItem {
                return "noSuchItem"
            } catch NSFileProviderError.serverUnreachable {
                return "serverUnreachable"
            } catch let error as NSFileProviderError {
                return "\(error.errorCode)"
            } catch {
                return "other"
            }
        }
        #expect(name(NSFileProviderError(.noSuchItem)) == "noSuchItem")
        #expect(name(NSError(domain: NSFileProviderErrorDomain, code: -1005)) == "noSuchItem")
        #expect(name(NSError(domain: "other", code: -1005)) == "other")
        #expect(name(NSFileProviderError(.serverUnreachable)) == "serverUnreachable")
        #expect(name(NSFileProviderError(.domainDisabled)) == "-2011")
        let kind = NSFileProviderError.Code._ErrorType.self
        #expect(ObjectIdentifier(kind) == ObjectIdentifier(NSFileProviderError.self))
    }

    @Test func anErrorIsFoundationsToo() {
        let error = NSFileProviderError(.noSuchItem, userInfo: ["key": 1])
        #expect((error as NSError).code == -1005)
        #expect((error as NSError).userInfo["key"] as? Int == 1)
        #expect(error.errorUserInfo["key"] as? Int == 1)
        #expect(NSFileProviderError(_nsError: error._nsError).code == .noSuchItem)
        #expect(Set([error]).contains(error))
        #expect(NSFileProviderError(.noSuchItem) != NSFileProviderError(.serverUnreachable))
        #expect(NSFileProviderError(.noSuchItem) == NSFileProviderError(.noSuchItem))
        let item = BareItem("a")
        let about = NSFileProviderError(_nsError: NSError.fileProviderErrorForCollision(with: item))
        #expect(about == NSFileProviderError(_nsError: NSError.fileProviderErrorForCollision(with: item)))
        let missing = NSFileProviderError(
            _nsError: .fileProviderErrorForNonExistentItem(withIdentifier: .rootContainer))
        #expect(missing != NSFileProviderError(.noSuchItem))
        let own = NSFileProviderError(.noSuchItem, userInfo: [NSLocalizedDescriptionKey: "own words"])
        #expect(own.localizedDescription == "own words")
    }

    @Test func factoriesNameWhatTheErrorIsAbout() {
        let item = BareItem("a")
        let collision: NSError = NSError.fileProviderErrorForCollision(with: item)
        #expect(collision.code == NSFileProviderError.filenameCollision.rawValue)
        #expect(collision.userInfo[NSFileProviderErrorItemKey] as? BareItem === item)
        #expect(collision.userInfo[NSFileProviderErrorCollidingItemKey] as? BareItem === item)
        let missing: NSError = NSError.fileProviderErrorForNonExistentItem(withIdentifier: item.itemIdentifier)
        #expect(missing.code == NSFileProviderError.noSuchItem.rawValue)
        #expect(
            missing.userInfo[NSFileProviderErrorNonExistentItemIdentifierKey] as? NSFileProviderItemIdentifier
                == item.itemIdentifier)
        let rejected: NSError = NSError.fileProviderErrorForRejectedDeletion(of: item)
        #expect(rejected.code == NSFileProviderError.deletionRejected.rawValue)
        #expect(rejected.userInfo[NSFileProviderErrorItemKey] as? BareItem === item)
    }
}
