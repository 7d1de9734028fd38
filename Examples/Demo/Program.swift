import Foundation

/// The paths of this program and of programs that were built with it.
enum Program {
    /// The path of this program.
    static var path: URL {
        get throws {
            URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        }
    }

    /// Returns the path of a program that was built with this one.
    static func sibling(_ name: String) throws -> URL {
        try path.deletingLastPathComponent().appendingPathComponent(name)
    }
}
