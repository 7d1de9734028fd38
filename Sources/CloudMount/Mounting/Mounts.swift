import FileProviderEngine
import LinuxSystem

/// The mounted domains, each on its own directory.
///
/// Functions may be called on any thread. Functions that mount or unmount block until the kernel is done.
package final class Mounts: Sendable {
    /// The state of a domain's mount.
    package enum State: Sendable {
        case mounted(path: String)
        /// Another process unmounted the domain.
        case unmounted(path: String)
        case failed(DomainMountError)
    }

    private enum Entry {
        case mount(DomainMount)
        case failed(DomainMountError)
    }

    private let options: DomainMountOptions
    // Leaf lock: mounts are created and ended after it is released.
    private let entries = Lock<[String: Entry]>([:])

    package init(options: DomainMountOptions = DomainMountOptions()) { self.options = options }

    deinit { unmountAll() }

    /// Unmounts the mounts that a dead daemon left in a directory. Programs that access such a mount would get errors,
    /// or hang.
    ///
    /// - Parameters:
    ///   - folder: The directory that contains the mount points.
    ///   - kept: The paths on which a domain will be mounted soon. The dead mounts on these paths stay until then,
    ///     because an error is better for a program than an empty or missing directory.
    /// - Returns: The paths that were unmounted.
    @discardableResult
    package static func removeStale(in folder: String, except kept: Set<String> = []) -> [String] {
        // The mount table is read, not the directory, because accessing a dead mount fails.
        guard let table = try? MountTable.current() else { return [] }
        return table.mounts.map(\.point).filter { path in
            path.pathNames(beneath: folder)?.isEmpty == false && !kept.contains(path) && MountFolder.removeStale(path)
        }
    }

    /// Mounts a domain. A domain that is mounted elsewhere is unmounted there first. A failure is also recorded in
    /// ``states``.
    ///
    /// - Parameter handover: A mount of the domain that outlived the previous daemon. The mount is resumed if possible,
    ///   otherwise ended.
    package func mount(
        _ engine: DomainEngine, at path: String, resuming handover: MountHandover? = nil
    ) throws(DomainMountError) {
        let identifier = engine.configuration.identifier
        unmount(identifier)
        do throws(DomainMountError) {
            let resumed = handover.flatMap { try? DomainMount(engine, resuming: $0, options: options) }
            if resumed == nil { handover?.abandon(engine) }
            let mount = if let resumed { resumed } else { try DomainMount(engine, at: path, options: options) }
            let other = entries.withLock { $0.updateValue(.mount(mount), forKey: identifier) }
            if case .mount(let other) = other { other.unmount() }
        } catch {
            entries.withLock { $0[identifier] = .failed(error) }
            throw error
        }
    }

    /// Returns the state that another daemon needs to take over a domain's mount; `nil` if a takeover is not possible.
    package func handover(of identifier: String) -> MountHandover? {
        guard case .mount(let mount) = entries.withLock({ $0[identifier] }) else { return nil }
        return mount.handover
    }

    /// Unmounts a domain if it is mounted.
    package func unmount(_ identifier: String) {
        let entry = entries.withLock { $0.removeValue(forKey: identifier) }
        if case .mount(let mount) = entry { mount.unmount() }
    }

    /// Unmounts all domains. Called when the daemon ends.
    package func unmountAll() {
        let all = entries.withLock { entries in
            defer { entries = [:] }
            return entries
        }
        for case .mount(let mount) in all.values { mount.unmount() }
    }

    /// The state of each domain's mount, by domain identifier.
    package var states: [String: State] {
        entries.withLock { entries in
            entries.mapValues { entry in
                switch entry {
                case .mount(let mount): mount.isMounted ? .mounted(path: mount.path) : .unmounted(path: mount.path)
                case .failed(let failure): .failed(failure)
                }
            }
        }
    }
}
