import AppExtension
import Conduit
import Foundation
import Glibc
import LinuxSystem
import Sandbox

/// A confined process of an extension, from its start to its end.
final class ExtensionProcess: Sendable {
    private let program: ChildProgram
    private let process: ProcessDescriptor
    private let output: ProcessOutput
    private let lines: LogLines
    /// The host's end of the socket over which the process requests access to the items of its bookmarks. `scopes` is
    /// the directory in which these items appear.
    private let link: Connection
    private let scopes: ScopeFolder
    let container: Container
    private let limits: ProcessLimits
    /// The paths of the process's container and of its groups' directories. A local directory that the process serves
    /// as a provider is not included.
    private let folders: [String]
    private let containerWatch: ContainerWatch
    private let group: ControlGroup.Member?
    // Leaf lock: the signal is sent after it is released.
    private let reason = Lock<(ExtensionEnding.Reason, status: Int)?>(nil)

    /// Starts a process of an extension. Blocks until the process has been started.
    ///
    /// - Parameters:
    ///   - socket: The extension's end of a new socket pair. The caller must not retain this end.
    ///   - data: The directory of Purvey's data for this user.
    ///   - hostLibraries: The directories of the Swift libraries that this process is linked with.
    ///   - coordination: Creates the extension's end of a socket for file coordination. With `nil`, the extension does
    ///     not coordinate files with other processes.
    ///   - largestFile: The maximum size in bytes of a file that the process writes; `nil` for the usual limit.
    ///   - places: Further directories that the process may use, with everything in them.
    ///   - variables: Further environment variables, as `NAME=value`.
    ///   - display: The display for the process's windows; `nil` if it shows none.
    ///   - layers: The layers of the confinement to use.
    ///   - isHandedDirectory: Whether one of the places is a directory of the user that the process serves; see
    ///     ``ExtensionConfinement/hasRootDirectory(whereHanded:)``.
    init(
        _ bundle: ExtensionBundle, socket: FileDescriptor, data: String, hostLibraries: [String],
        coordination: ExtensionService.Coordination?, largestFile: UInt64? = nil,
        places: [(path: String, access: Confinement.Access)] = [], variables: [String] = [],
        display: DisplayConnection? = nil, layers: Layers = .wanted,
        isHandedDirectory: Bool = false
    ) throws {
        container = try Container(of: bundle, data: data)
        let groups = try GroupFolders(of: bundle, container: container, data: data)
        let lines = LogLines(ExtensionLog(of: bundle.identifier, data: data))
        output = try ProcessOutput(programFolders: [bundle.path, "/usr", "/lib", "/lib64"] + hostLibraries) {
            lines.write($0)
        }
        self.lines = lines
        scopes = try ScopeFolder(data: data)
        let (ours, theirs) = try SequencedPacketSocket.pair()
        limits = ProcessLimits(memory: bundle.memoryLimit, network: bundle.usesNetwork)
        folders = [container.path] + groups.paths
        containerWatch = ContainerWatch(folders, bundle.isOfFileProvider ? .ofProvider : .ofAction)
        let service = ScopeService(
            bundle: bundle.identifier, data: data, folder: scopes, container: container.path, groups: groups.paths)
        let coordinator = try coordination?(service)
        var confinement = Confinement(
            of: bundle, in: container, scopes: scopes, data: data, hostLibraries: hostLibraries)
        if let largestFile { confinement.fileSize = largestFile }
        confinement.layers = layers
        if isHandedDirectory, !ExtensionConfinement.hasRootDirectory(whereHanded: layers) {
            confinement.layers.namespaces.remove(.files)
        }
        confinement.paths += places
        confinement.paths += groups.paths.map { ($0, [.read, .write]) }
        var descriptors: [FileDescriptor?] = [nil, output.input, output.input, socket, theirs.descriptor]
        if let coordinator { descriptors.append(coordinator) }
        let shown = try display?.handedOver(from: descriptors.count, in: container, &confinement)
        descriptors += shown?.descriptors ?? []
        let environment =
            container.environment(
                language: ProcessInfo.processInfo.environment["LANG"], coordinates: coordinator != nil)
            + groups.variables + variables + (bundle.usesNetwork ? NetworkProxies.current : [])
            + (shown?.variables ?? [])
        (program, group) = try Self.start(bundle.executable, environment, descriptors, confinement, limits)
        lines.begin(program.processID, bundle)
        do {
            // The process has not been waited for yet, so its process ID cannot have been reused.
            process = try ProcessDescriptor.open(program.processID)
            link = try Connection(
                ours, service: service.makeService(), limits: ScopeService.limits, isPeerConfined: true)
        } catch {
            program.kill()
            throw error
        }
    }

    /// Starts the program. If systemd delegates a control group, the process gets a control group of its own.
    private static func start(
        _ executable: String, _ environment: [String], _ descriptors: [FileDescriptor?], _ confinement: Confinement,
        _ limits: ProcessLimits
    ) throws(ConfinementError) -> (ChildProgram, ControlGroup.Member?) {
        var confinement = confinement
        confinement.threads = UInt64(limits.threads)
        let memory = UInt64(limits.memory + ProcessLimits.image)
        let group = try? ControlGroup.delegated?.makeMember(memory: memory, threads: limits.threads)
        confinement.controlGroup = group?.entrance
        do throws(ConfinementError) {
            let program = try ChildProgram.start(
                executable, arguments: [], environment: environment, descriptors: descriptors, confinedTo: confinement)
            return (program, group)
        } catch {
            guard error.isOfControlGroup else { throw error }
            // Another program manages the control group. In this case, only ``LimitWatch`` enforces the limits.
            confinement.controlGroup = nil
            let program = try ChildProgram.start(
                executable, arguments: [], environment: environment, descriptors: descriptors, confinedTo: confinement)
            return (program, nil)
        }
    }

    /// The process ID. After ``waitForEnd(timeLimit:isBusy:)`` has returned, the ID may belong to another process.
    var processID: pid_t { process.processID }

    /// Kills the process. If this is called several times, the first reason is reported in the process's ending.
    func end(_ why: ExtensionEnding.Reason, status: Int = 0) {
        reason.withLock { $0 = $0 ?? (why, status) }
        // The process may have ended by itself.
        try? process.send(signal: SIGKILL)
    }

    /// The interval in milliseconds between checks of the limits while the process works. The process can exceed a
    /// limit for this long.
    private static let watchInterval: CInt = 100
    /// The interval in milliseconds between checks of the limits while the process is idle.
    private static let idleInterval: CInt = 250

    /// Blocks until the process has ended, and kills the process if it exceeds a limit. Call this once, on a thread
    /// that may block.
    ///
    /// - Parameters:
    ///   - timeLimit: The time in seconds after which the process is killed; `nil` if there is no limit.
    ///   - isBusy: Returns whether the process is serving a request. It is called repeatedly.
    func waitForEnd(timeLimit: Int? = nil, isBusy: () -> Bool = { true }) -> ExtensionEnding {
        defer {
            link.close()
            scopes.remove()
            container.sweep()
        }
        let deadline = timeLimit.map { ContinuousClock.now + .seconds($0) }
        var watch = LimitWatch(of: program.processID, limits, folders: folders)
        while !process.hasEnded {
            var sources = [
                pollfd(fd: process.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
                pollfd(fd: output.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
            ]
            let left = deadline.map { $0 - ContinuousClock.now }
            let isEnding = reason.withLock { $0 != nil }
            if !isEnding {
                if let left, left <= .zero {
                    end(.timedOut, status: timeLimit ?? 0)
                } else if let excess = watch.excess() ?? containerWatch.excess(nameless: watch.namelessBytes) {
                    end(excess.reason, status: excess.status)
                }
            }
            let interval = isBusy() ? Self.watchInterval : Self.idleInterval
            let wait = left.map { min(CInt(clamping: Int($0 / .milliseconds(1)) + 1), interval) } ?? interval
            poll(&sources, nfds_t(sources.count), isEnding ? 1000 : max(0, wait))
            output.drain()
        }
        output.finish()
        let ending = ending((try? program.wait()) ?? .unknown, lastLines: output.lines)
        lines.write([ending.kind])
        return ending
    }

    private func ending(_ ending: ChildProgram.Ending, lastLines lines: [String]) -> ExtensionEnding {
        if let (why, status) = reason.withLock({ $0 }) {
            return ExtensionEnding(why, status: status, lastLines: lines)
        }
        if case .signalled(SIGKILL) = ending, group?.hasRunOutOfMemory == true {
            return ExtensionEnding(.tookTooMuchMemory, status: limits.memory >> 20, lastLines: lines)
        }
        switch ending {
        case .exited(let status): return ExtensionEnding(.exited, status: Int(status), lastLines: lines)
        case .signalled(let signal): return ExtensionEnding(.signalled, status: Int(signal), lastLines: lines)
        case .unknown: return ExtensionEnding(.exited, status: -1, lastLines: lines)
        }
    }

    /// Adds a line from the host to the extension's log. Blocks on the file system.
    func note(_ line: String) { lines.write([line]) }
}
