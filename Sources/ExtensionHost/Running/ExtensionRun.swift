import AppExtension
import Conduit
import Foundation
import Glibc
import LinuxSystem
import Synchronization

/// One process of an extension, for one request: from its start to its end.
///
/// Every request gets a process of its own, so that what one does to it, none of the others feels.
package final class ExtensionRun: Sendable {
    /// The descriptor of the extension's end of the socket, in its process.
    package static let socketNumber = 3

    private let program: ChildProgram
    private let process: ProcessDescriptor
    private let errors: ErrorTail
    private let timeLimit: Int
    /// This side of the socket over which the process asks for what its bookmarks lead to, and where it finds that.
    private let link: Connection
    private let scopes: ScopeFolder
    private let container: Container
    private let memoryLimit: Int
    private let released = Atomic<Bool>(false)

    /// Starts an extension, confined. Blocks for as long as the system takes.
    ///
    /// - Parameters:
    ///   - socket: the extension's end of a fresh socket pair; the caller keeps no reference to it.
    ///   - data: the folder of what Purvey keeps for this user.
    ///   - hostLibraries: where the language's libraries lie that this process is linked with.
    ///   - coordination: makes the extension's end of a socket over which it takes part in file coordination; `nil` lets it
    ///     coordinate its own files only.
    package init(
        _ bundle: ExtensionBundle, socket: FileDescriptor, data: String,
        hostLibraries: [String] = SwiftLibraries.ofThisProcess, coordination: ExtensionService.Coordination? = nil
    ) throws {
        container = try Container(of: bundle, data: data)
        errors = try ErrorTail()
        timeLimit = bundle.timeLimit
        scopes = try ScopeFolder(data: data)
        let (ours, theirs) = try SequencedPacketSocket.pair()
        memoryLimit = bundle.memoryLimit
        let service = ScopeService(bundle: bundle.identifier, data: data, folder: scopes, container: container.path)
        let coordinator = try coordination?(service)
        program = try ChildProgram.start(
            bundle.executable, arguments: [],
            environment: container.environment(
                language: ProcessInfo.processInfo.environment["LANG"], coordinates: coordinator != nil),
            descriptors: [nil, nil, errors.input, socket, theirs.descriptor]
                + (coordinator.map { [$0] } ?? []),
            confinedTo: Confinement(
                of: bundle, in: container, scopes: scopes, data: data, hostLibraries: hostLibraries))
        // Not waited for yet, so the number is still this process's.
        process = try ProcessDescriptor.open(program.processID)
        link = try Connection(ours, service: service.makeService())
    }

    /// Ends the process: its caller has what it wanted, or has gone.
    package func release() {
        released.store(true, ordering: .releasing)
        // It may have ended by itself.
        try? process.send(signal: SIGKILL)
    }

    /// How often its memory is looked at. A filter and resource limits see to the rest of it; what it can take of memory
    /// files in this time, it has.
    private static let watchInterval: CInt = 100

    /// Waits for the end, and brings it about at the limits of time and shared memory. Blocks; call it once, on a thread that may.
    package func waitForEnd() -> ExtensionEnding {
        defer {
            link.close()
            scopes.remove()
            container.sweep()
        }
        let deadline = ContinuousClock.now + .seconds(timeLimit)
        var reason: ExtensionEnding.Reason?
        while !process.hasEnded {
            var sources = [
                pollfd(fd: process.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
                pollfd(fd: errors.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
            ]
            let left = deadline - ContinuousClock.now
            if reason == nil {
                if left <= .zero {
                    reason = .timedOut
                } else if !SharedMemory.isWithin(memoryLimit, of: program.processID) {
                    reason = .tookTooMuchMemory
                }
                if reason != nil { try? process.send(signal: SIGKILL) }
            }
            let wait = reason != nil ? 1000 : min(CInt(left / .milliseconds(1)) + 1, Self.watchInterval)
            poll(&sources, nfds_t(sources.count), wait)
            errors.drain()
        }
        errors.drain()
        let lines = errors.lines
        let ending = (try? program.wait()) ?? .unknown
        switch reason {
        case .timedOut: return ExtensionEnding(.timedOut, status: timeLimit, lastLines: lines)
        case .tookTooMuchMemory:
            return ExtensionEnding(.tookTooMuchMemory, status: memoryLimit >> 20, lastLines: lines)
        default: break
        }
        if released.load(ordering: .acquiring) { return ExtensionEnding(.released, status: 0, lastLines: lines) }
        switch ending {
        case .exited(let status): return ExtensionEnding(.exited, status: Int(status), lastLines: lines)
        case .signalled(let signal): return ExtensionEnding(.signalled, status: Int(signal), lastLines: lines)
        case .unknown: return ExtensionEnding(.exited, status: -1, lastLines: lines)
        }
    }
}
