import Conduit
import FileCoordination
import LinuxSystem
import Synchronization

/// The daemon's service that starts extensions in confined processes, and supervises these. Messages between extensions
/// and their callers do not pass through the service.
package final class ExtensionService: Sendable {
    private let library: ExtensionLibrary
    private let data: String
    private let coordination: Coordination?
    /// The maximum number of concurrent processes. For each process, a thread waits for its end.
    private static let limit = 64
    private let running = Mutex(0)

    /// A function that is called before a process is started, and lets the process coordinate files. Returns the end of
    /// a socket pair to pass to the process.
    package typealias Coordination = @Sendable (any ConfinedPlaces) throws -> FileDescriptor

    /// The domain of this service's errors when they are sent.
    package static let domain = "PurveyExtension"

    /// Creates the service. Removes the directories of ``ScopeFolder`` that killed daemons have left.
    ///
    /// - Parameter data: The directory of Purvey's data for this user.
    package init(data: String, coordination: Coordination? = nil) {
        self.data = data
        self.coordination = coordination
        library = ExtensionLibrary(data: data)
        ScopeFolder.sweep(data: data)
    }

    /// Adds the handlers of this service's calls.
    package func addCalls(to service: inout Service) {
        service.on(RunExtensionCall.self) { request, call in
            let hasRoom = self.running.withLock { running in
                guard running < Self.limit else { return false }
                running += 1
                return true
            }
            guard hasRoom else {
                return call.fail(
                    domain: Self.domain, code: 1, message: "\(Self.limit) extensions run already; try again later")
            }
            HandlerThreads.shared.run {
                self.run(request.identifier, socket: request.socket, call)
                self.running.withLock { $0 -= 1 }
            }
        }
    }

    private func run(_ identifier: String, socket: FileDescriptor, _ call: ServedCall<RunExtensionCall>) {
        do {
            let run = try ExtensionRun(
                try library.find(identifier), socket: socket, data: data, coordination: coordination)
            call.onCancel { run.release() }
            call.reply(run.waitForEnd())
        } catch {
            call.fail(
                domain: Self.domain, code: 2, message: "the extension \(identifier) cannot be started: \(error)")
        }
    }
}
