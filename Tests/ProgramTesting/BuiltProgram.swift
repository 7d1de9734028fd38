import Foundation
import Glibc

/// A program that was built with the tests.
package enum BuiltProgram {
    /// It is not where it has to be.
    package struct Missing: Error {
        let name: String
    }

    /// Its path, by its name.
    package static func path(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // The test runner may be a program of the toolchain; then the tests are a library that it was given.
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw Missing(name: name)
    }
}
