import CSandbox
import Glibc
import LinuxSystem

extension ChildProgram {
    /// Starts a program in a new session. The program is confined before its first instruction runs.
    ///
    /// - Parameters:
    ///   - environment: The complete environment of the program, as `NAME=value`.
    ///   - descriptors: The program's descriptors, which get the numbers 0, 1, 2 and so on. An element `nil` stands for
    ///     `/dev/null`. The program has no other descriptors.
    package static func start(
        _ path: String, arguments: [String], environment: [String], descriptors: [FileDescriptor?],
        confinedTo confinement: Confinement
    ) throws(ConfinementError) -> ChildProgram {
        let numbers = descriptors.map { $0?.rawValue ?? -1 }
        let root = confinement.layers.namespaces.contains(.files) ? RootPlan(for: confinement.paths) : RootPlan(for: [])
        var result = csandbox_result()
        let error = withStrings([path] + arguments) { arguments in
            withStrings(environment) { variables in
                confinement.withDescription(root) { description in
                    csandbox_start(path, arguments, variables, numbers, CInt(numbers.count), &description, &result)
                }
            }
        }
        withExtendedLifetime((descriptors, confinement.controlGroup)) {}
        if confinement.layers.namespaces.contains(.files), !root.isWhole {
            let refusal = result.refusal == 0 ? nil : Errno(rawValue: result.refusal)
            Layers.note(Layers.Namespaces(rawValue: result.namespaces), refusal: refusal)
        }
        guard error == 0 else { throw ConfinementError(result.stage, Errno(rawValue: error)) }
        PinnedFiles.pin(confinement.paths.map(\.path), of: result.process)
        return ChildProgram(processID: result.process)
    }
}

extension Confinement {
    /// Returns the namespaces to create for the program.
    private func namespaces(_ root: RootPlan) -> Layers.Namespaces {
        var namespaces = layers.namespaces
        if network { namespaces.remove(.network) }
        if root.isWhole { namespaces.remove(.files) }
        return namespaces
    }

    /// Calls `body` with the C structure that describes the confinement. The pointers in the structure are valid only
    /// within `body`.
    fileprivate func withDescription(_ root: RootPlan, _ body: (inout csandbox_confinement) -> CInt) -> CInt {
        let accesses = paths.map(\.access.rawValue)
        let mountAccesses = root.mounts.map(\.access.rawValue)
        let strings = [
            paths.map(\.path), root.mounts.map(\.path), root.links.flatMap { [$0.path, $0.target] }, [workingFolder],
        ]
        return ChildProgram.withStrings(strings.flatMap(\.self)) { all in
            all.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: strings.reduce(0) { $0 + $1.count }) {
                all in
                accesses.withUnsafeBufferPointer { accesses in
                    mountAccesses.withUnsafeBufferPointer { mountAccesses in
                        let mounts = all + strings[0].count
                        let links = mounts + strings[1].count
                        var description = csandbox_confinement(
                            paths: all, accesses: accesses.baseAddress, path_count: accesses.count,
                            mounts: mounts, mount_accesses: mountAccesses.baseAddress, mount_count: mountAccesses.count,
                            links: links, link_count: root.links.count, working_directory: links[strings[2].count],
                            network: network ? 1 : 0, local_socket: localSocket ?? 0,
                            memory: memory, file_size: fileSize, descriptors: descriptors, threads: threads,
                            namespaces: namespaces(root).rawValue, newest_landlock: CInt(clamping: layers.landlock),
                            control_group: controlGroup?.rawValue ?? -1)
                        return body(&description)
                    }
                }
            }
        }
    }
}

/// Keeps files of `/proc` open that confined programs may read. Otherwise, the kernel would drop the files' inodes
/// under memory pressure, and with them Landlock's rules for these files.
///
/// A program that has namespaces does not need this, because mounts in its own root directory keep the files open.
private enum PinnedFiles {
    private struct State {
        var files: [String: FileDescriptor] = [:]
        var processes: [pid_t: FileDescriptor] = [:]
    }

    // Leaf lock.
    private static let state = Lock(State())

    /// Opens those of the given paths that are files of `/proc`. They stay open as long as this process runs. Also
    /// opens the `/proc` directory of `process`, which stays open until a later call finds that `process` has ended.
    static func pin(_ paths: [String], of process: pid_t) {
        state.withLock { state in
            for path in paths where path.hasPrefix("/proc/") && state.files[path] == nil {
                state.files[path] = try? FileDescriptor.open(path, .pathOnly)
            }
            state.processes = state.processes.filter { faccessat($0.value.rawValue, "status", F_OK, 0) == 0 }
            state.processes[process] = try? FileDescriptor.open("/proc/\(process)", .pathOnly)
        }
    }
}
