import Foundation
import ProgramTesting

/// The files of `Desktop`, which tests install as `make install` does.
package enum DesktopFiles {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Installs a file.
    ///
    /// - Parameters:
    ///   - path: The path of the installed file beneath `share`.
    ///   - share: The directory that stands for `/usr/share`.
    ///   - edit: A function that returns the changed text of the file.
    /// - Returns: The path of the installed file.
    @discardableResult
    package static func install(
        _ path: String, in share: String, _ edit: (String) -> String = { $0 }
    ) throws -> String {
        let programs = (try BuiltProgram.path("purvey") as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        let text = try String(contentsOf: repository.appending(path: "Desktop/" + name), encoding: .utf8)
        let whole = share + "/" + path
        try FileManager.default.createDirectory(
            atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try edit(text).replacingOccurrences(of: "PROGRAMS/", with: programs + "/")
            .write(toFile: whole, atomically: false, encoding: .utf8)
        return whole
    }

    /// Installs the extension for a file manager.
    ///
    /// - Parameter manager: `nautilus`, `nemo` or `caja`.
    /// - Returns: The path of the file that the file manager loads.
    package static func installExtension(for manager: String, in share: String) throws -> String {
        for name in ["purvey_file_manager.py", "purvey_states.py"] {
            try install("purvey/file-managers/" + name, in: share)
        }
        return try install("\(manager)-python/extensions/purvey_\(manager).py", in: share)
    }
}
