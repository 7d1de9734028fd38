import CLinux
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Files that change while they are copied, without a change of size or date.
@Suite(.ownThreads) struct CopyHiddenChangeTests {
    private let folder: TestFolder
    private let source: FileDescriptor
    private let size = 3_000_000

    init() throws {
        folder = try TestFolder()
        source = try folder.file("a", pattern(size))
        try retrying { futimens(source.rawValue, Self.dates) }
    }

    private static let dates = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]

    /// - Parameter change: Called once, when part of the file has been copied.
    private func copy(_ change: () throws -> Void) throws {
        var failure: (any Error)?
        var hasChanged = false
        try FileCopier.copy(
            source, into: folder.descriptor, named: "b",
            progress: { completed, _ in
                guard completed > 0, !hasChanged else { return }
                hasChanged = true
                do { try change() } catch { failure = error }
            })
        if let failure { throw failure }
        #expect(hasChanged)
    }

    @Test func aFileThatIsWrittenToWithItsDateSetBackHasChangedDuringTheCopy() throws {
        #expect(throws: CopyError.self) {
            try copy {
                let byte: UInt8 = pattern(1)[0] ^ 0xFF
                try source.overwrite([byte], at: 0)
                try retrying { futimens(source.rawValue, Self.dates) }
            }
        }
        #expect(try folder.names() == ["a"])
    }

    @Test func aFileThatGetsOtherPermissionsAndNamesIsCopied() throws {
        try copy {
            try retrying { fchmod(source.rawValue, 0o600) }
            try retrying { link(folder.path + "/a", folder.path + "/c") }
        }
        #expect(try folder.content("b") == pattern(size))
    }
}
