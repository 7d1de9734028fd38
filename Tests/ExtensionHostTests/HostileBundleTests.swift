import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// Bundles made to harm the user who installs them.
@Suite struct HostileBundleTests {
    @Test func noFileOfAnInstalledBundleRunsAsItsOwnerOrIsWrittenByOthers() throws {
        try ExtensionFixture.run { place in
            try place.write()
            let tool = place.appex + "/tool"
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: tool))
            #expect(chmod(tool, 0o6777) == 0)
            let installed = try place.library.install(path: place.appex)
            #expect(try FileStatus.of(installed.path + "/tool").permissions == 0o777 & ~CreationMask.current)
            #expect(access(installed.executable, X_OK) == 0)
        }
    }

    /// The kernel hides the memory files of a process from a user who may not read its program. Root may read every
    /// program, so as root the test becomes another user.
    @Test func anExecutableThatCannotBeReadIsNeitherInstalledNorStarted() async throws {
        guard geteuid() == 0 else { return try Self.refuseAnExecutableThatCannotBeRead() }
        await #expect(processExitsWith: .success) {
            let folder = try UnprivilegedAttackTests.becomeAnother()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try HostileBundleTests.refuseAnExecutableThatCannotBeRead()
        }
    }

    private static func refuseAnExecutableThatCannotBeRead() throws {
        try ExtensionFixture.run { place in
            try place.write()
            let program = place.appex + "/Unruly"
            #expect(chmod(program, 0o111) == 0)
            for link in [false, true] {
                let failure = #expect(throws: ExtensionLibrary.LibraryError.self) {
                    try place.library.install(path: place.appex, link: link)
                }
                #expect(failure?.description.contains("cannot be read") == true, "\(failure?.description ?? "")")
            }
            #expect(place.library.all.isEmpty)
            #expect(chmod(program, 0o755) == 0)
            try place.library.install(path: place.appex, link: true)
            #expect(chmod(program, 0o111) == 0)
            let failure = #expect(throws: ExtensionLibrary.LibraryError.self) {
                try place.library.find("org.example.unruly")
            }
            #expect(failure?.description.contains("cannot be read") == true, "\(failure?.description ?? "")")
        }
    }
}
