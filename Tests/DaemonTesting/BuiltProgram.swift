import Foundation
import Glibc

package enum BuiltProgram {
    /// The path of a program that was built beside this one.
    package static func path(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for path in [own] + CommandLine.arguments {
            let candidate = (path as NSString).deletingLastPathComponent + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return name
    }
}
