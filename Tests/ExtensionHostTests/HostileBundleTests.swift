import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// Bundles made to harm who installs them.
@Suite struct HostileBundleTests {
    @Test func noFileOfAnInstalledBundleRunsAsItsOwnerOrIsWrittenByOthers() throws {
        try ExtensionPlace.run { place in
            try place.write()
            let tool = place.appex + "/tool"
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: tool))
            #expect(chmod(tool, 0o6777) == 0)
            let installed = try place.library.install(path: place.appex)
            #expect(try FileStatus.of(installed.path + "/tool").permissions == 0o777 & ~CreationMask.current)
            #expect(access(installed.executable, X_OK) == 0)
        }
    }
}
