import AppExtension
import LinuxSystem
import Sandbox

/// A process of an extension that serves one request, from its start to its end.
///
/// Each request has its own process, so that requests cannot affect each other.
package final class ExtensionRun: Sendable {
    /// The descriptor number of the socket in the extension's process.
    package static let socketNumber = 3

    private let process: ExtensionProcess
    private let timeLimit: Int?

    /// Starts a confined process of an extension. Blocks for as long as the system takes to start it.
    ///
    /// - Parameters:
    ///   - socket: The extension's end of a new socket pair. The caller must not keep a reference to it.
    ///   - data: The directory of Purvey's data for this user.
    ///   - hostLibraries: The directories of the Swift libraries that this process is linked with.
    ///   - coordination: Creates the extension's end of a socket for file coordination. With `nil`, the extension
    ///     coordinates only its own accesses.
    ///   - layers: The layers of confinement.
    package init(
        _ bundle: ExtensionBundle, socket: FileDescriptor, data: String,
        hostLibraries: [String] = SwiftLibraries.ofThisProcess, coordination: ExtensionService.Coordination? = nil,
        layers: Layers = .wanted
    ) throws {
        process = try ExtensionProcess(
            bundle, socket: socket, data: data, hostLibraries: hostLibraries, coordination: coordination, layers: layers
        )
        timeLimit = bundle.timeLimit
    }

    /// Starts the confined user interface of a provider, for one of its domains. Blocks for as long as the system takes
    /// to start it.
    ///
    /// The process has no time limit, because it waits for the user. It runs until it exits, exceeds another limit, or
    /// its caller calls ``release()``.
    ///
    /// - Parameters:
    ///   - provider: The identifier of the provider's extension. The process can access the domain's directory in that
    ///     extension's document storage.
    ///   - kept: Directories that must not be handed to a domain.
    ///   - display: The display for the process's windows; `nil` if it shows none.
    /// - Throws: ``HandedFolderError`` for example, if the directory that was handed to the domain cannot be used.
    package init(
        interface bundle: ExtensionBundle, of provider: String, for domain: ProviderDomain,
        apartFrom kept: [String], socket: FileDescriptor, data: String, display: DisplayConnection? = nil
    ) throws {
        process = try ExtensionProcess(
            bundle, socket: socket, data: data, hostLibraries: SwiftLibraries.ofThisProcess, coordination: nil,
            places: try domain.places(ofInterfaceOf: provider, apartFrom: kept, data: data), display: display)
        timeLimit = nil
        // The directory may have been replaced between its check and the process's start.
        do throws(HandedFolderError) {
            _ = try domain.handedFolder(apartFrom: [])
        } catch {
            release()
            _ = waitForEnd()
            throw error
        }
    }

    /// Kills the process, because its caller has the result or has ended.
    package func release() { process.end(.released) }

    /// Waits for the process's end, and kills the process if it exceeds a limit. Blocks. Call this once, on a thread
    /// that may block.
    package func waitForEnd() -> ExtensionEnding { process.waitForEnd(timeLimit: timeLimit) }
}
