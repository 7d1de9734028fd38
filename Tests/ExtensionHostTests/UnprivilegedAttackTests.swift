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
        return folder
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
                try attacks.whatIsOutsideIsNotSeen(layers)
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
