import Foundation
import Glibc
import LinuxSystem
import Testing

/// The attacks of ``AttackTests``, by an extension of a user other than root. Continuous integration runs tests as
/// root.
@Suite struct UnprivilegedAttackTests {
    private static let other: uid_t = 65534

    /// Changes this process permanently to another user, with a directory for temporary files.
    ///
    /// - Parameter body: called before, with the directory.
    /// - Returns: the directory.
    static func becomeAnother(after body: (String) throws -> Void = { _ in }) throws -> String {
        var template = Array("/var/tmp/purvey-attack-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try body(folder)
        try retrying { chown(folder, other, other) }
        setenv("TMPDIR", folder, 1)
        try retrying { setgroups(0, nil) }
        try retrying { setgid(other) }
        try retrying { setuid(other) }
        // PR_SET_DUMPABLE. The change made this process's files of /proc root's, and it could make no namespaces.
        try #require(controlProcess(4, 1, 0, 0, 0) == 0)
        return folder
    }

    private typealias ProcessControl = @convention(c) (CInt, Int, Int, Int, Int) -> CInt

    /// The function prctl(2). It is variadic, and Swift does not import variadic functions.
    private static func controlProcess(_ option: CInt, _ a: Int, _ b: Int, _ c: Int, _ d: Int) -> CInt {
        guard let address = dlsym(nil, "prctl") else { return -1 }
        // On x86-64 and arm64, integers are passed in the same registers whether or not their number varies.
        return unsafeBitCast(address, to: ProcessControl.self)(option, a, b, c, d)
    }

    @Test(.enabled(if: geteuid() == 0)) func noneGoesThroughForAnOrdinaryUserEither() async {
        await #expect(processExitsWith: .success) {
            let folder = try Self.becomeAnother()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let attacks = AttackTests()
            for layers in AttackTests.layers {
                try attacks.noFileIsEmptiedByItsPath(layers)
                try attacks.noProcessIsSignalledByADescriptor(layers)
                try attacks.capabilitiesAreNone(layers)
                try attacks.noProcessIsSlowedDown(layers)
                try attacks.filesOutsideTheContainerAreNotSeen(layers)
            }
            try attacks.sharedObjectsOfOthersStay()
            try attacks.callsThatNoKernelHadYetDoNotExist()
            try attacks.memoryThatTheLimitDoesNotCountIsRefused()
            for deed in ["page-tables", "sockets", "memory-files"] { try attacks.memoryOfAnyKindEndsAtTheLimit(deed) }
            try attacks.threadsEndAtTheirLimit()
            try attacks.aThousandCallsByChanceChangeNothingOutside()
        }
    }
}
