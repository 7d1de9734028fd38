import AppExtension
import Exchange
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem

/// The command `purvey extensions logs`.
enum ExtensionLogCommand {
    /// The interval of polling the log, in microseconds.
    private static let interval: useconds_t = 200_000

    static func run(_ text: String, _ library: ExtensionLibrary, follows: Bool) async throws {
        let log = ExtensionLog(of: try identifier(text, library), data: try Locations.current().data)
        // Reading the log and writing to standard output block, so they run on a separate thread.
        let isEmpty = try await HandlerThreads.shared.value { () throws in
            var reader = ExtensionLogReader(log)
            var isEmpty = true
            while true {
                let bytes = try reader.next()
                if !bytes.isEmpty {
                    isEmpty = false
                    try StandardOutput.print(bytes)
                } else if follows {
                    usleep(interval)
                } else {
                    return isEmpty
                }
            }
        }
        if isEmpty { StandardError.note("nothing has been logged") }
    }

    /// Returns the identifier of an installed extension, or of a removed extension whose log still exists.
    private static func identifier(_ text: String, _ library: ExtensionLibrary) throws -> String {
        do {
            return try library.find(text).identifier
        } catch {
            let log = ExtensionLog(of: text, data: try Locations.current().data)
            guard InfoPropertyList.isIdentifier(text), access(log.path, F_OK) == 0 else {
                throw CommandError("\(error)")
            }
            return text
        }
    }
}
