import Foundation

/// The repository that the tests were built from.
enum Repository {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the path of a file in the repository.
    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
