import FileProviderEngine
import LinuxSystem

/// The domains that are mounted, each at a folder of its own.
///
/// Functions may be called on any thread; those that mount and unmount block while the kernel does it.
package final class Mounts: Sendable {
    /// What became of a domain's mount.
    package enum State: Sendable {
        case mounted(path: String)
        /// Somebody else unmounted it.
        case unmounted(path: String)
        case failed(DomainMountFailure)
    }

    private enum Place {
        case mount(DomainMount)
        case failed(DomainMountFailure)
    }

    private let options: DomainMountOptions
    // Innermost: mounts are made and ended outside of it.
    private let places = Lock<[String: Place]>([:])

    package init(options: DomainMountOptions = DomainMountOptions()) { self.options = options }

    deinit { unmountAll() }

    /// Unmounts what a daemon that has gone left mounted in a folder: programs that look there would get errors, or wait.
    ///
    /// - Parameters:
    ///   - folder: the one that the mounts lie in.
    ///   - kept: the paths of those that will be mounted anew at once, which unmounts them in time: until then programs had better
    ///     get errors than see an empty folder, or none.
    /// - Returns: the paths of those that were left.
    @discardableResult
    package static func removeStale(in folder: String, except kept: Set<String> = []) -> [String] {
        // The table is read and not the folder, because looking at what was left fails.
        guard let table = try? MountTable.current() else { return [] }
        return table.mounts.map(\.point).filter { path in
            path.pathNames(beneath: folder)?.isEmpty == false && !kept.contains(path) && MountFolder.removeStale(path)
        }
    }

    /// Mounts a domain; one that is mounted elsewhere is unmounted there first. Failures are kept for ``states`` too.
    ///
    /// - Parameter handover: a mount of it that outlived the last daemon, and is gone on with if that can be.
    package func mount(
        _ engine: DomainEngine, at path: String, resuming handover: MountHandover? = nil
    ) throws(DomainMountFailure) {
        let identifier = engine.configuration.identifier
        unmount(identifier)
        do throws(DomainMountFailure) {
            let resumed = handover.flatMap { try? DomainMount(engine, resuming: $0, options: options) }
            if resumed == nil { handover?.abandon(engine) }
            let mount = if let resumed { resumed } else { try DomainMount(engine, at: path, options: options) }
            let other = places.withLock { $0.updateValue(.mount(mount), forKey: identifier) }
            if case .mount(let other) = other { other.unmount() }
        } catch {
            places.withLock { $0[identifier] = .failed(error) }
            throw error
        }
    }

    /// What another daemon needs to go on with a domain's mount; `nil` where it cannot.
    package func handover(of identifier: String) -> MountHandover? {
        guard case .mount(let mount) = places.withLock({ $0[identifier] }) else { return nil }
        return mount.handover
    }

    /// Unmounts a domain, if it is mounted.
    package func unmount(_ identifier: String) {
        let place = places.withLock { $0.removeValue(forKey: identifier) }
        if case .mount(let mount) = place { mount.unmount() }
    }

    /// Unmounts all domains, for the daemon's end.
    package func unmountAll() {
        let all = places.withLock { places in
            defer { places = [:] }
            return places
        }
        for case .mount(let mount) in all.values { mount.unmount() }
    }

    /// What became of each domain that was to be mounted, by its identifier.
    package var states: [String: State] {
        places.withLock { places in
            places.mapValues { place in
                switch place {
                case .mount(let mount): mount.isMounted ? .mounted(path: mount.path) : .unmounted(path: mount.path)
                case .failed(let failure): .failed(failure)
                }
            }
        }
    }
}
