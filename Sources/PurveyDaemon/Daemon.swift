import Conduit
import CoordinationService
import Exchange
import ExtensionHost
import Glibc
import LinuxSystem

/// The daemon: binds its socket, serves until a signal arrives or the daemon is no longer needed, and shuts down in
/// order.
enum Daemon {
    /// Runs the daemon. Returns the exit status.
    static func run(_ options: DaemonOptions, locations: Locations, _ service: ServiceSurroundings) -> CInt {
        let log = DaemonLog(options.level)
        let starter = Starter(options.readiness)
        let signals: SignalDescriptor
        do {
            // This precedes the creation of the first thread. Therefore every thread blocks the signals, and only the
            // descriptor receives them.
            signals = try SignalDescriptor(blocking: [SIGTERM, SIGINT, SIGHUP])
        } catch {
            return starter.fail("signals cannot be waited for: \(error)", log)
        }

        // The limit is raised because every connected process needs descriptors. The system's default is low only for
        // the sake of programs that use select(2).
        try? ResourceLimit.descriptors.raise()
        for sentence in DaemonLimits.narrow { log.warning(sentence) }
        do throws(LocationError) {
            try locations.prepare()
        } catch {
            return starter.fail("\(error)", log)
        }
        let bundles = BundleRegistry(folder: locations.bundles) { log.warning($0) }
        let exchange = ExchangeService(bundles: bundles, log: log)
        let storages = ProvidedStorages(data: locations.data, log: log)
        let coordination = CoordinationService(marker: locations.runtime + "/coordination", provided: storages)
        let keeper = mountKeeper(options, locations, service, log)
        let bus = DesktopBusProcess(log: log)
        let passwords = passwords(locations, bundles, bus, log)
        let domains = DomainService(
            locations, mountsDomains: !options.noMount, keeper: keeper, bus: bus, passwords: passwords, log: log
        ) {
            try coordination.admit($0)
        }
        storages.serve(domains)
        bus?.serve(domains)
        let listener: Listener
        do {
            listener = try listen(
                locations, exchange, coordination, domains, ProviderPrograms(bundles: bundles, data: locations.data),
                storages, passwords, isWaitedFor: starter.isWaiting)
        } catch .inUse {
            return starter.alreadyRunning(at: locations.socket, log)
        } catch {
            return starter.fail("\(error)", log)
        }
        log.info("process \(getpid()) listens at \(locations.socket)")
        let mark = ServiceMarkerFile(locations)
        let isService = service.socket != nil
        if isService { leave(mark, log) } else { mark.remove() }
        // A daemon that was started on demand ends when it is idle. A daemon that the user started stays.
        let endsWhenIdle = starter.isWaiting
        if options.noMount { keeper?.withdraw() } else { keeper?.introduce() }
        starter.ready()
        // The tasks are not awaited. The list of domains shows domains that could not be started.
        Task { await domains.begin() }
        Task { await domains.keyringChanged(isStart: true) }

        var vigil = ShutdownMonitor(
            signals: signals, listener: listener, isIdle: { exchange.isIdle && !domains.isNeeded },
            locations: locations, log: log, endsWhenIdle: endsWhenIdle)
        // The wait must not be an argument of the log call below, because the arguments of a message are evaluated only
        // if the message is logged.
        let reason = vigil.waitForShutdown()
        keeper?.end()
        // The service is not restarted after an intentional end. The marker is removed so that no program waits for a
        // restart.
        if isService { mark.remove() }
        bus?.end()
        log.info("ends because \(reason)")
        listener.close()
        exchange.announceEnd()
        let hasEnded = Latch()
        Task {
            await domains.end()
            hasEnded.open()
        }
        hasEnded.wait()
        coordination.end()
        return 0
    }

    /// Returns the keeper of the mounts: `purvey-keeper`, or the service manager. When this process dies, the keeper
    /// preserves the mounts and starts another daemon.
    private static func mountKeeper(
        _ options: DaemonOptions, _ locations: Locations, _ service: ServiceSurroundings, _ log: DaemonLog
    ) -> (any MountKeeper)? {
        let passed = service.takePassed()
        if let deaths = options.deaths { return DaemonKeeper(options, deaths: deaths, locations: locations, log: log) }
        return service.socket.map { ServiceStore(socket: $0, passed: passed, log: log) }
    }

    /// Returns the stored passwords. If they cannot be used, logs a message and returns `nil`. Domains that need no
    /// password are served nevertheless.
    private static func passwords(
        _ locations: Locations, _ bundles: BundleRegistry, _ bus: DesktopBusProcess?, _ log: DaemonLog
    ) -> PasswordStore? {
        do throws(Errno) {
            return try PasswordStore(locations, bundles: bundles, bus: bus, log: log)
        } catch {
            log.error("no passwords can be stored: \(locations.data)/passwords or keys cannot be used: \(error)")
            return nil
        }
    }

    private static func leave(_ mark: ServiceMarkerFile, _ log: DaemonLog) {
        do throws(Errno) {
            try mark.leave()
        } catch {
            log.warning(
                "\(mark.path): \(error); who needs a daemon when this one has died does not wait for the service's next"
            )
        }
    }

    /// Binds the socket. A daemon that was started on demand first waits for the end of a previous daemon that is
    /// ending or dying.
    private static func listen(
        _ locations: Locations, _ service: ExchangeService, _ coordination: CoordinationService,
        _ domains: DomainService, _ programs: ProviderPrograms, _ storages: ProvidedStorages,
        _ passwords: PasswordStore?, isWaitedFor: Bool
    ) throws(ListenerError) -> Listener {
        var calls = service.makeService()
        locations.addCalls(to: &calls)
        ExtensionService(data: locations.data) { try coordination.admit($0) }.addCalls(to: &calls)
        coordination.addCalls(to: &calls)
        domains.addCalls(to: &calls)
        domains.addManagerCalls(to: &calls, programs)
        domains.addServiceCalls(to: &calls, programs, storages)
        passwords?.addCalls(to: &calls)
        var attempts = 0
        while true {
            do throws(ListenerError) {
                return try Listener(
                    path: locations.socket, service: calls, limits: ConnectionLimits(unreadBytes: 256 << 10)
                ) { service.admit($0) }
            } catch .inUse(let path) {
                guard isWaitedFor, !answers(path) else { throw .inUse(path: path) }
                attempts += 1
                // No daemon accepts connections, but the socket cannot be bound. The process that started this daemon
                // may retry.
                guard attempts < 500 else { throw .system(.addressInUse, path: path) }
                usleep(20_000)
            }
        }
    }

    /// Whether a daemon is alive and listens at the given path.
    static func answers(_ path: String) -> Bool {
        guard let address = try? LocalSocketAddress(path: path) else { return false }
        return (try? SequencedPacketSocket.connect(to: address)) != nil
    }
}

/// The process that started this daemon and waits for the result. There is no such process if the user started the
/// daemon.
///
/// The type is not copyable, so that the channel is closed after one message. The starter reads until the channel is
/// closed.
struct Starter: ~Copyable {
    private let channel: FileDescriptor?

    init(_ descriptor: CInt?) {
        guard let descriptor, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            channel = nil
            return
        }
        channel = FileDescriptor(owning: descriptor)
    }

    /// Whether a process waits for the result.
    var isWaiting: Bool { channel != nil }

    /// Reports that the daemon accepts connections.
    consuming func ready() { tell(BackgroundStart.ready) }

    /// Reports that another daemon is already running. A start in the background then succeeds. A start in the
    /// foreground fails with an error message.
    consuming func alreadyRunning(at socket: String, _ log: DaemonLog) -> CInt {
        guard channel != nil else { return fail("there is a daemon at \(socket) already", log) }
        tell(BackgroundStart.alreadyRunning)
        return 0
    }

    /// Reports that the daemon cannot start. Returns the exit status.
    consuming func fail(_ message: String, _ log: DaemonLog) -> CInt {
        guard channel != nil else { return BackgroundStart.fail(message) }
        log.error(message)
        tell(message)
        return 1
    }

    /// Sends one message. The channel closes when the last reference to it is released.
    private func tell(_ message: String) {
        guard let channel else { return }
        let bytes = Array(message.utf8.prefix(4096))
        // A starter that has ended does not need the message.
        _ = write(channel.rawValue, bytes, bytes.count)
    }
}
