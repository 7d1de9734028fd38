import Foundation
import LinuxSystem

/// The transfer of a directory to a confined process.
///
/// Landlock lets a process use a file descriptor that it gets, but not open anything beneath a directory outside of its
/// own directories. Therefore a confined consumer sends the provider one of its own directories, and the provider
/// copies the offered directory into it.
package enum FolderPlacement {
    /// The environment variable that a host sets for a confined process.
    package static let environmentKey = "PURVEY_CONFINED"

    /// Whether this process is confined.
    static let isNeeded = ProcessInfo.processInfo.environment[environmentKey] != nil

    /// The name of the copy in the consumer's directory.
    private static let name = "item"

    /// Copies a directory into a consumer's directory. Called by the provider. Blocks.
    ///
    /// - Parameter reading: reads the directory. Cancelling the load must cancel this reading as well.
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

    /// Returns a supply of the copy that the provider has placed in the consumer's directory. Called by the consumer.
    static func supply(in folder: LoadFolder, name original: String) throws -> Supply {
        let descriptor = try folder.directory.open(name, [.readOnly, .directory, .noFollow])
        return .file(
            SuppliedFile(
                descriptor: descriptor, isDirectory: true, path: nil, name: original, isOfferedInPlace: false,
                isCoordinated: false, folder: folder))
    }
}
