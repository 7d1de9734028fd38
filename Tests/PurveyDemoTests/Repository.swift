import Foundation

/// The files that the tests were built from.
enum Repository {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The path of a file of it.
    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
