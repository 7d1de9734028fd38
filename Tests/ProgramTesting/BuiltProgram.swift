import Foundation
import Glibc

/// A program that was built with the tests.
package enum BuiltProgram {
    /// An error for a program that is not beside the tests.
    package struct Missing: Error {
        let name: String

        package init(name: String) { self.name = name }
    }

    /// Returns a program's path.
    package static func path(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // The test runner may be a program of the toolchain that was given the tests as a library.
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw Missing(name: name)
    }
}
