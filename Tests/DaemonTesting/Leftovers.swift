import FileProviderEngine
import Foundation
import ItemStore

/// Data that an engine must have removed once it has no pending work and has ended.
package enum Leftovers {
    /// Finds data that an engine has not removed.
    ///
    /// - Parameters:
    ///   - data: The path of the engine's data of the domain.
    ///   - home: The home directory of its daemon.
    /// - Returns: A sentence for each entry that was found.
    package static func find(data: String, home: String) throws -> [String] {
        var found = try Journal(path: data + "/journal.db").all().map { "the journal has an entry of \($0.name)" }
        for folder in [data + "/edits", data + "/uploads"] + (try Tree.folders(named: "incoming", in: home)) {
            found += try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder) has \($0)" }
        }
        return found
    }
}
