import Conduit
import DomainMessages

/// Sends the desktop's settings to the daemon: the proxies, and whether the network is metered.
///
/// The actor runs on the thread of GLib's main loop.
actor DesktopSettings {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainContextExecutor.shared.asUnownedSerialExecutor() }

    private let daemon: Connection
    private var proxies: ProxySettings?
    private var systemBus: BusConnection?
    private var isMetered = false
    private var sent: DesktopSettingsNotice?

    init(daemon: Connection) { self.daemon = daemon }

    /// Sends the settings, and sends them again after each change.
    func begin() async {
        proxies = ProxySettings()
        proxies?.onChange { [self] in Task { await send() } }
        // Without the system's bus, the network counts as not metered.
        systemBus = await BusConnection.connect(NetworkManager.address)
        // Both subscriptions last as long as this process.
        _ = systemBus?.follow(
            NetworkManager.name, interface: BusNames.properties, path: NetworkManager.object.path
        ) { [self] _ in Task { await lookAtNetwork() } }
        _ = systemBus?.followOwner(of: NetworkManager.name) { [self] hasOwner in
            Task { await noteNetworkManager(isPresent: hasOwner) }
        }
        send()
    }

    private func noteNetworkManager(isPresent: Bool) async {
        if isPresent { return await lookAtNetwork() }
        isMetered = false
        send()
    }

    private func lookAtNetwork() async {
        guard let systemBus, let isMetered = await NetworkManager.isMetered(over: systemBus) else { return }
        self.isMetered = isMetered
        send()
    }

    private func send() {
        let notice = DesktopSettingsNotice(proxies: proxies?.variables ?? [], isMetered: isMetered)
        guard notice != sent else { return }
        sent = notice
        // Ignore the error: the daemon has ended.
        try? daemon.notify(notice)
    }
}
