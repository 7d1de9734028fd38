import Foundation
import LinuxSystem

/// Foundation's errors for bookmarks, each with a sentence that describes it.
enum BookmarkError {
    static func corrupt(_ reason: String) -> CocoaError {
        CocoaError(.fileReadCorruptFile, userInfo: [NSDebugDescriptionErrorKey: reason])
    }

    static func corrupt(_ fault: BookmarkSeal.SealError) -> CocoaError {
        switch fault {
        case .notABookmark: corrupt("these bytes are not a bookmark")
        case .unknownVersion(let version): corrupt("a later version of Purvey made the bookmark: format \(version)")
        case .notAuthentic: corrupt("the bookmark was changed, or was not made by this user on this machine")
        case .malformed: corrupt("the bookmark cannot be read")
        }
    }

    static func missing(_ path: String) -> CocoaError {
        CocoaError(
            .fileNoSuchFile,
            userInfo: [
                NSFilePathErrorKey: path,
                NSDebugDescriptionErrorKey: "the bookmark's item was deleted, or moved to where it cannot be found",
            ])
    }

    static func notAFile(_ url: URL) -> CocoaError {
        CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
    }

    static func unreadable(_ path: String, _ error: Errno) -> CocoaError {
        let code: CocoaError.Code
        switch error {
        case .noSuchFile, .notDirectory: code = .fileReadNoSuchFile
        case .permissionDenied, .notPermitted: code = .fileReadNoPermission
        case .nameTooLong: code = .fileReadInvalidFileName
        default: code = .fileReadUnknown
        }
        let underlying = NSError(domain: NSPOSIXErrorDomain, code: Int(error.rawValue))
        return CocoaError(code, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: underlying])
    }

    static func noKey(_ error: any Error) -> CocoaError {
        CocoaError(
            .fileReadNoPermission,
            userInfo: [
                NSUnderlyingErrorKey: error,
                NSDebugDescriptionErrorKey: "the key that bookmarks are authenticated with cannot be used: \(error)",
            ])
    }
}
