import AppExtension
import LinuxSystem
import Sandbox

/// A process of an extension that serves one request, from its start to its end.
///
/// Each request has its own process, so that requests cannot affect each other.
package final class ExtensionRun: Sendable {
    /// The number that the descriptor of the socket has in the extension's process.
    package static let socketNumber = 3

    private let process: ExtensionProcess
    private let timeLimit: Int?

    /// Starts a confined process of an extension. Blocks until the process has been started.
    ///
    /// - Parameters:
    ///   - socket: The extension's end of a new socket pair. The caller must not retain this end.
    ///   - data: The directory of Purvey's data for this user.
    ///   - hostLibraries: The directories of the Swift libraries that this process is linked with.
    ///   - coordination: Creates the extension's end of a socket for file coordination. With `nil`, the extension does
    ///     not coordinate files with other processes.
    ///   - layers: The layers of the confinement to use.
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

    /// Starts the confined user interface of a provider, for one of its domains. Blocks until the process has been
    /// started.
    ///
    /// The process has no time limit, because it waits for the user. It runs until it exits, until it exceeds another
    /// limit, or until ``release()`` is called.
    ///
    /// - Parameters:
    ///   - provider: The identifier of the provider's extension. The process can access the domain's directory in that
    ///     extension's document storage.
    ///   - kept: Directories that no provider may access.
    ///   - display: The display for the process's windows; `nil` if it shows none.
    /// - Throws: For example ``HandedFolderError``, if the local directory that the provider serves cannot be used.
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

    /// Kills the process, because its caller has received the result or has ended.
    package func release() { process.end(.released) }

    /// Blocks until the process has ended, and kills the process if it exceeds a limit. Call this once, on a thread
    /// that may block.
    package func waitForEnd() -> ExtensionEnding { process.waitForEnd(timeLimit: timeLimit) }
}
