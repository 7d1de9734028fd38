import Foundation
import LinuxSystem
import ZipArchive

/// Errors of copying, as Cocoa errors.
extension CocoaError {
    /// Returns an error of this package as the corresponding Cocoa error, with the system's error, if any, as the
    /// underlying error. Returns any other error unchanged.
    static func known(_ error: any Error) -> any Error {
        switch error {
        case let error as CopyError: CocoaError(error)
        case let error as ZipError: CocoaError(error)
        case let error as Errno: CocoaError(error, path: nil, description: "\(error)")
        default: error
        }
    }

    private init(_ error: CopyError) {
        switch error {
        case .cancelled: self.init(.userCancelled)
        case .noSpace(let path): self.init(Errno.noSpace, path: path, description: "\(error)")
        case .system(let errno, let path): self.init(errno, path: path, description: "\(error)")
        case .alreadyExists(let name): self.init(.fileWriteFileExists, name, error)
        case .invalidName(let name): self.init(.fileWriteInvalidFileName, name, error)
        case .changedDuringCopy(let path), .changedDuringWalk(let path), .containsItself(let path):
            self.init(.fileReadUnknown, path, error)
        case .wrongKind(_, let path): self.init(.fileReadUnknown, path, error)
        case .destinationInsideSource: self.init(.fileWriteUnknown, nil, error)
        }
    }

    private init(_ error: ZipError) {
        switch error {
        case .cancelled: self.init(.userCancelled)
        case .noSpace: self.init(Errno.noSpace, path: nil, description: "\(error)")
        case .system(let errno, let path): self.init(errno, path: path, description: "\(error)")
        case .invalidName(let name): self.init(.fileWriteInvalidFileName, name, error)
        case .pathTooLong(let path): self.init(.fileWriteInvalidFileName, path, error)
        case .changedDuringArchiving(let path), .containsItself(let path), .sizeUnknown(let path):
            self.init(.fileReadUnknown, path, error)
        case .wrongKind(_, let path): self.init(.fileReadUnknown, path, error)
        case .archiveInsideSource, .unsuitableOutput: self.init(.fileWriteUnknown, nil, error)
        }
    }

    private init(_ code: CocoaError.Code, _ path: String?, _ error: any Error) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: "\(error)"]
        if let path { userInfo[NSFilePathErrorKey] = path }
        self.init(code, userInfo: userInfo)
    }
}
