import Foundation

/// This program's file and those built beside it.
enum Program {
    /// The path of this program.
    static var path: URL {
        get throws {
            URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        }
    }

    /// The path of a program that was built together with this one.
    static func sibling(_ name: String) throws -> URL {
        try path.deletingLastPathComponent().appendingPathComponent(name)
    }
}
