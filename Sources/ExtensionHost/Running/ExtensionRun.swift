import AppExtension
import LinuxSystem
import Sandbox

/// One process of an extension, for one request: from its start to its end.
///
/// Every request gets a process of its own, so that what one does to it, none of the others feels.
package final class ExtensionRun: Sendable {
    /// The descriptor of the extension's end of the socket, in its process.
    package static let socketNumber = 3

    private let process: ExtensionProcess
    private let timeLimit: Int?

    /// Starts an extension, confined. Blocks for as long as the system takes.
    ///
    /// - Parameters:
    ///   - socket: the extension's end of a fresh socket pair; the caller keeps no reference to it.
    ///   - data: the folder of what Purvey keeps for this user.
    ///   - hostLibraries: where the language's libraries lie that this process is linked with.
    ///   - coordination: makes the extension's end of a socket over which it takes part in file coordination; `nil` lets it
    ///     coordinate its own files only.
    ///   - layers: the layers of its confinement.
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

    /// Starts the user interface of a provider, for one of its domains. It is ended when its caller wants it to: people take their
    /// time. Blocks for as long as the system takes.
    ///
    /// - Parameters:
    ///   - provider: the identifier of the provider's extension, of whose documents it reaches those of the domain.
    ///   - kept: folders that nobody's domain may be handed.
    ///   - display: where it shows windows; `nil` where it shows none.
    package init(
        interface bundle: ExtensionBundle, of provider: String, for domain: ProviderDomain,
        apartFrom kept: [String], socket: FileDescriptor, data: String, display: DisplayConnection? = nil
    ) throws {
        process = try ExtensionProcess(
            bundle, socket: socket, data: data, hostLibraries: SwiftLibraries.ofThisProcess, coordination: nil,
            places: try domain.places(ofInterfaceOf: provider, apartFrom: kept, data: data), display: display)
        timeLimit = nil
        do throws(HandedFolderFault) {
            _ = try domain.handedFolder(apartFrom: [])
        } catch {
            release()
            _ = waitForEnd()
            throw error
        }
    }

    /// Ends the process: its caller has what it wanted, or has gone.
    package func release() { process.end(.released) }

    /// Waits for the end, and brings it about at the limits of time and shared memory. Blocks; call it once, on a thread that may.
    package func waitForEnd() -> ExtensionEnding { process.waitForEnd(timeLimit: timeLimit) }
}
