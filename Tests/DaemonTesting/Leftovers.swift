import FileProviderEngine
import Foundation

/// What an engine should have nothing of once it has settled and ended.
package enum Leftovers {
    /// - Parameters:
    ///   - data: what the engine keeps of the domain.
    ///   - home: of its daemon.
    /// - Returns: a sentence for each thing that is left.
    package static func find(data: String, home: String) throws -> [String] {
        var found = try Journal(path: data + "/journal.db").all().map { "the journal has an entry of \($0.name)" }
        for folder in [data + "/edits", data + "/uploads"] + (try Tree.folders(named: "incoming", in: home)) {
            found += try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder) has \($0)" }
        }
        return found
    }
}
