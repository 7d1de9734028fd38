import CGIO
import Conduit
import DomainMessages
import Glibc
import LinuxSystem

/// Shows the domains and the states of their files on the session bus; see Documentation/DesktopBus.md.
///
/// All data comes from the daemon, over a connection. This process never accesses the files. All work is done on the
/// thread of GLib's main loop, and nothing blocks that thread after the bus was reached.
actor DesktopBus {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainContextExecutor.shared.asUnownedSerialExecutor() }

    private let address: String
    let daemon: Connection
    private let keyring: DesktopSecretService
    private(set) var connection: BusConnection?
    /// GLib's identifier of the ownership of the bus name; `nil` while no domain exists.
    private var ownership: UInt32?

    private struct Call {
        let caller: String
        let invocation: Invocation
        var task: Task<Void, Never>?
    }

    private struct Caller {
        var calls: Set<UInt64> = []
        /// GLib's identifier of the watch of the caller; `nil` until the caller makes a long call.
        var watch: UInt32?
    }

    private struct Shown {
        var domain: DomainObject
        /// GLib's identifiers of the exported interfaces, by the names of the interfaces.
        var registrations: [String: UInt32] = [:]
        /// The menu of the account; `nil` while the domain is not mounted.
        var menu: AccountMenu?
    }

    private var calls: [UInt64: Call] = [:]
    private var nextCall: UInt64 = 0
    private var callers: [String: Caller] = [:]
    /// The shown domains, by the paths of their objects.
    private var domains: [String: Shown] = [:]
    private var areObjectsShown = false
    private var areDomainsStale = false
    private var refresh: Task<Void, Never>?

    /// The maximum number of paths in one call.
    static let mostPaths = ItemStatesCall.mostPlaces
    /// The maximum number of calls in flight: for one caller, and for all callers.
    private static let mostCallsOfOne = 64
    private static let mostCalls = 512
    /// The minimum and maximum intervals between refreshes of the domains. The daemon does not notify this process of
    /// some changes, such as a removed extension. The maximum interval limits the delay until such a change is found.
    private static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)
    /// The exit status when there is no bus.
    private static let statusWithoutBus: CInt = 3

    /// Creates the object. ``serve()`` connects it to the bus.
    ///
    /// - Parameters:
    ///   - address: the address of the bus, in the syntax of D-Bus addresses.
    ///   - daemon: the connection to the daemon. This process ends when it closes.
    ///   - keyring: the keyring service, which receives the connection to the bus.
    init(address: String, daemon: Connection, keyring: DesktopSecretService) {
        self.address = address
        self.daemon = daemon
        self.keyring = keyring
    }

    /// Exports all objects. Returns when the connection to the daemon has ended.
    func serve() async {
        guard let connection = BusConnection(address: address) else { _exit(Self.statusWithoutBus) }
        connection.exitWhenClosed(with: Self.statusWithoutBus)
        self.connection = connection
        await keyring.use(connection, daemon: daemon)
        // The position in the sequence of changes is requested first, so that no later change is missed.
        guard var position = try? await daemon.call(FollowStatesCall(position: 0)).position else { return }
        await showDomains()
        for interface in [
            BusNames.files, BusNames.objectManager, CloudAccount.providerInterface, ShellSearch.interface,
        ] {
            _ = connection.show(interface, at: BusNames.root, by: self)
        }
        areObjectsShown = true
        updateName()
        let clock = Task {
            while (try? await Task.sleep(for: Self.longestPause)) != nil { lookAtDomains() }
        }
        defer { clock.cancel() }
        while let news = try? await daemon.call(FollowStatesCall(position: position)) {
            position = news.position
            if news.areDomainsDifferent { lookAtDomains() }
            guard !news.standings.isEmpty || !news.folders.isEmpty else { continue }
            let files = news.standings.map { BusValue.tuple([.string($0.path), $0.properties]) }
            connection.emit(
                "FilesChanged", of: BusNames.files, at: BusNames.root,
                [.array(of: "(sa{sv})", files), .strings(news.folders)])
            // This waits until the messages are sent to the bus. Meanwhile, the daemon collects changes, so that no
            // messages are queued in this process.
            await connection.flush()
        }
    }

    // MARK: Domains

    /// Schedules a refresh of the domains.
    private func lookAtDomains() {
        areDomainsStale = true
        guard refresh == nil else { return }
        refresh = Task {
            while areDomainsStale {
                areDomainsStale = false
                await showDomains()
                try? await Task.sleep(for: Self.shortestPause)
            }
            refresh = nil
        }
    }

    private func showDomains() async {
        guard let connection, let status = try? await daemon.call(DomainsStatusCall()) else { return }
        let objects = status.domains.map(DomainObject.init)
        let paths = Set(objects.map(\.path))
        for (path, shown) in domains where !paths.contains(path) {
            takeAway(shown.domain.interfaces.map(\.name), of: path, over: connection)
            domains[path] = nil
        }
        for object in objects { show(object, over: connection) }
        updateName()
        await connection.flush()
    }

    /// Requests the bus name if domains exist, and releases it otherwise. Without domains, the process may still run
    /// for the keyring.
    private func updateName() {
        guard areObjectsShown, let connection else { return }
        if domains.isEmpty {
            if let ownership = ownership.take() { connection.disown(ownership) }
        } else if ownership == nil {
            ownership = connection.own(BusNames.name)
        }
    }

    private func show(_ object: DomainObject, over connection: BusConnection) {
        // The notification is shown when a sign-in becomes necessary, and not at each refresh until the sign-in.
        if object.needsSignIn, domains[object.path]?.domain.needsSignIn != true {
            connection.show(DesktopNotification.signIn(to: object.name))
        }
        let before = domains[object.path]?.domain
        domains[object.path, default: Shown(domain: object)].domain = object
        let earlier = before?.interfaces.map(\.name) ?? []
        takeAway(
            earlier.filter { name in !object.interfaces.contains { $0.name == name } }, of: object.path,
            over: connection)
        for case let (name, _) in object.interfaces where earlier.contains(name) {
            guard let changes = before.map({ object.changes(of: name, from: $0) }), !changes.isEmpty else { continue }
            connection.emit(
                "PropertiesChanged", of: BusNames.properties, at: object.path,
                [.string(name), .properties(changes), .strings([])])
        }
        showMenu(of: object, over: connection)
        let added = object.interfaces.filter { !earlier.contains($0.name) }
        guard !added.isEmpty else { return }
        for case let (name, _) in added {
            domains[object.path]?.registrations[name] = connection.show(name, at: object.path, by: self)
        }
        connection.emit(
            "InterfacesAdded", of: BusNames.objectManager, at: BusNames.root,
            [.path(object.path), Self.description(of: added)])
    }

    /// Exports the menu of a domain's account, and enables its actions.
    private func showMenu(of object: DomainObject, over connection: BusConnection) {
        let path = object.path
        guard object.interfaces.contains(where: { $0.name == CloudAccount.interface }) else {
            domains[path]?.menu = nil
            return
        }
        if domains[path]?.menu == nil { domains[path]?.menu = connection.menu(at: path, by: self) }
        domains[path]?.menu?.update(isPaused: object.isPaused, hasFaults: object.hasFaults)
    }

    /// Performs an action of the menu of a domain's account. The properties of the account show the result.
    func perform(_ action: AccountMenu.Action, ofObject path: String) {
        guard let name = domains[path]?.domain.name else { return }
        Task {
            switch action {
            case .pause: _ = try? await daemon.call(PauseDomainsCall(names: [name], isPaused: true))
            case .resume: _ = try? await daemon.call(PauseDomainsCall(names: [name], isPaused: false))
            case .retry: _ = try? await retry([name])
            }
            lookAtDomains()
        }
    }

    /// Removes interfaces of a domain's object from the bus.
    private func takeAway(_ interfaces: [String], of path: String, over connection: BusConnection) {
        guard !interfaces.isEmpty else { return }
        for name in interfaces {
            if let number = domains[path]?.registrations.removeValue(forKey: name) { connection.takeAway(number) }
        }
        connection.emit(
            "InterfacesRemoved", of: BusNames.objectManager, at: BusNames.root, [.path(path), .strings(interfaces)])
    }

    private static func description(of interfaces: [(name: String, properties: [(name: String, value: BusValue)])])
        -> BusValue
    {
        .dictionary(of: "sa{sv}", interfaces.map { (.string($0.name), .properties($0.properties)) })
    }

    /// Returns the given property of an object's interface, or `nil` if the object does not exist any more.
    func property(_ name: String, of interface: String, ofObject path: String) -> BusValue? {
        guard interface != CloudAccount.providerInterface else {
            return CloudAccount.providerProperties.first { $0.name == name }?.value
        }
        return domains[path]?.domain.property(name, of: interface)
    }

    // MARK: Methods

    private typealias Work = @Sendable (isolated DesktopBus) async throws(BusError) -> BusValue

    /// Handles a call, and replies now or later.
    func take(_ call: MethodCall, _ invocation: Invocation) {
        guard call.pathCount <= Self.mostPaths else {
            let message = "\(call.pathCount) paths in one call; \(Self.mostPaths) are allowed"
            return invocation.answer(.failure(BusError(.tooMany, message)))
        }
        switch (call.interface, call.method) {
        case (BusNames.objectManager, _):
            let objects = domains.map { (key: BusValue.path($0), value: Self.description(of: $1.domain.interfaces)) }
            let provider = (name: CloudAccount.providerInterface, properties: CloudAccount.providerProperties)
            let root = (key: BusValue.path(BusNames.root), value: Self.description(of: [provider]))
            invocation.answer(.success(.tuple([.dictionary(of: "oa{sa{sv}}", objects + [root])])))
        case (BusNames.domain, _):
            guard let name = domains[call.path]?.domain.name else {
                return invocation.answer(.failure(BusError(.noSuchDomain, "the domain is gone")))
            }
            begin(call, invocation, isLong: true) { bus throws(BusError) in try await bus.retry([name]) }
        case (ShellSearch.interface, "GetInitialResultSet"), (ShellSearch.interface, "GetSubsearchResultSet"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in try await bus.search(call.paths) }
        case (ShellSearch.interface, "GetResultMetas"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.descriptions(ofResults: call.paths)
            }
        case (ShellSearch.interface, "ActivateResult"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.showResult(call.paths.first ?? "")
            }
        case (ShellSearch.interface, _):
            begin(call, invocation, isLong: true) { bus throws(BusError) in try await bus.showMounts() }
        case (_, "GetStates"):
            begin(call, invocation, isLong: false) { bus throws(BusError) in try await bus.states(of: call.paths) }
        case (_, "Download"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.each(call.paths) { DownloadItemCall(place: $0) }
            }
        case (_, "Evict"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.each(call.paths) { EvictItemCall(place: $0) }
            }
        case (_, "Keep"):
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.each(call.paths) { KeepItemCall(place: $0, isWanted: call.isWanted) }
            }
        default:
            begin(call, invocation, isLong: true) { bus throws(BusError) in
                try await bus.retry(try await bus.domains(of: call.paths))
            }
        }
    }

    /// Starts a task for a call.
    ///
    /// - Parameter isLong: whether the caller is watched, so that its calls are cancelled when it leaves the bus.
    private func begin(_ call: MethodCall, _ invocation: Invocation, isLong: Bool, _ work: @escaping Work) {
        let sender = call.sender
        guard calls.count < Self.mostCalls, (callers[sender]?.calls.count ?? 0) < Self.mostCallsOfOne else {
            let message = "too many calls wait for their answers; \(Self.mostCallsOfOne) of one program are allowed"
            return invocation.answer(.failure(BusError(.tooMany, message)))
        }
        nextCall += 1
        let number = nextCall
        calls[number] = Call(caller: sender, invocation: invocation)
        callers[sender, default: Caller()].calls.insert(number)
        calls[number]?.task = Task {
            let result: Result<BusValue, BusError>
            do throws(BusError) {
                result = .success(try await work(self))
            } catch {
                result = .failure(error)
            }
            end(number, result)
        }
        if isLong, callers[sender]?.watch == nil { callers[sender]?.watch = connection?.watch(sender, for: self) }
    }

    private func end(_ number: UInt64, _ result: Result<BusValue, BusError>) {
        guard let call = calls.removeValue(forKey: number) else { return }
        call.invocation.answer(result)
        callers[call.caller]?.calls.remove(number)
        guard let caller = callers[call.caller], caller.calls.isEmpty else { return }
        if let watch = caller.watch { connection?.endWatch(watch) }
        callers[call.caller] = nil
    }

    /// Cancels the calls of a caller that has left the bus.
    func vanished(_ name: String) {
        for number in callers[name]?.calls ?? [] { calls[number]?.task?.cancel() }
    }
}

/// GLib's default main loop as the executor of an actor. GLib's callbacks and the actor's jobs run on the one thread
/// that runs the loop, the main thread.
final class MainContextExecutor: SerialExecutor {
    static let shared = MainContextExecutor()

    private final class Work {
        let job: UnownedJob

        init(_ job: UnownedJob) { self.job = job }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = Unmanaged.passRetained(Work(UnownedJob(job)))
        g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { data in
                guard let data else { return 0 }
                let work = Unmanaged<Work>.fromOpaque(data).takeRetainedValue()
                work.job.runSynchronously(on: MainContextExecutor.shared.asUnownedSerialExecutor())
                return 0
            }, work.toOpaque(), nil)
    }

    func isIsolatingCurrentContext() -> Bool? { g_main_context_is_owner(nil) != 0 }

    func checkIsolated() {
        precondition(g_main_context_is_owner(nil) != 0, "This is done on the thread of GLib's loop only.")
    }

    /// Runs the loop on the calling thread, until the process ends.
    static func run() -> Never {
        g_main_context_acquire(nil)
        while true { g_main_context_iteration(nil, 1) }
    }
}
