import Foundation
import LinuxSystem

/// How a folder reaches a confined process.
///
/// Landlock lets a process use a file that it is handed, but open nothing beneath a directory outside of its own folders. So a
/// confined consumer hands the provider a directory of its own, and the provider copies the folder into it.
package enum FolderPlacement {
    /// In the environment of a process that its host has confined.
    package static let environmentKey = "PURVEY_CONFINED"

    /// Whether this process is confined.
    static let isNeeded = ProcessInfo.processInfo.environment[environmentKey] != nil

    /// The name of the folder in the consumer's directory.
    private static let name = "item"

    /// The provider's part: copies a folder. Blocks.
    ///
    /// - Parameter reading: reads it; whoever cancels the load cancels this as well.
    static func place(
        _ folder: SuppliedFile, in target: FileDescriptor, reading: CoordinatedReading,
        progress: @escaping (Double) -> Void,
        isCancelled: @escaping () -> Bool
    ) throws {
        defer { folder.lease?.end() }
        try reading.read(folder) { folder in
            _ = try TreeCopier.copy(
                folder.descriptor, into: target, named: name,
                progress: { completed, total in if total > 0 { progress(Double(completed) / Double(total)) } },
                isCancelled: isCancelled)
        }
    }

    /// The consumer's part: what was copied into its directory, as if it had been handed over.
    static func supply(in folder: LoadFolder, name original: String) throws -> Supply {
        let descriptor = try folder.directory.open(name, [.readOnly, .directory, .noFollow])
        return .file(
            SuppliedFile(
                descriptor: descriptor, isDirectory: true, path: nil, name: original, isOfferedInPlace: false,
                isCoordinated: false, folder: folder))
    }
}
