import Conduit
import FileCoordination
import LinuxSystem
import Synchronization

/// The daemon's part in extensions: it starts them, confined, and watches over them. It carries nothing of what they and
/// their callers say to each other.
package final class ExtensionService: Sendable {
    private let library: ExtensionLibrary
    private let data: String
    private let coordination: Coordination?
    /// Processes at one time; each has a thread that waits for it.
    private static let limit = 64
    private let running = Mutex(0)

    /// Lets a process that is about to be started take part in file coordination: makes its end of a socket.
    package typealias Coordination = @Sendable (any ConfinedPlaces) throws -> FileDescriptor

    /// The error domain on the wire.
    package static let domain = "PurveyExtension"

    /// - Parameter data: the folder of what Purvey keeps for this user.
    package init(data: String, coordination: Coordination? = nil) {
        self.data = data
        self.coordination = coordination
        library = ExtensionLibrary(data: data)
        ScopeFolder.sweep(data: data)
    }

    /// Adds what this service does to a daemon's table.
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
