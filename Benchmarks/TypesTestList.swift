import Foundation

/// The test files of shared-mime-info with their expected types; see `Scripts/fetch-mime-tests`.
struct TypesTestList {
    struct Entry {
        /// The file name without directories.
        let name: String
        /// The first 64 KiB at most.
        let content: [UInt8]
        let expected: String
    }

    let entries: [Entry]
    /// The paths of the files.
    let paths: [String]

    /// Fetches the list if needed, and reads it with its files.
    init() throws {
        // The script is in the package, above the build directory of this program.
        var folder = URL(fileURLWithPath: try BenchmarkChild.sibling(""))
        while folder.path != "/", !FileManager.default.fileExists(atPath: Self.script(folder)) {
            folder.deleteLastPathComponent()
        }
        let path = try BenchmarkChild.output(ofProgram: Self.script(folder), [])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        var entries: [Entry] = []
        var paths: [String] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, !words[0].hasPrefix("#") else { continue }
            let file = directory.appendingPathComponent(String(words[0]))
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let content = [UInt8](try handle.read(upToCount: 65536) ?? Data())
            entries.append(Entry(name: file.lastPathComponent, content: content, expected: String(words[1])))
            paths.append(file.path)
        }
        self.entries = entries
        self.paths = paths
    }

    private static func script(_ folder: URL) -> String {
        folder.appendingPathComponent("Scripts/fetch-mime-tests").path
    }
}
