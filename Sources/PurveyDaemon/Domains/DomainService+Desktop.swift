import DomainMessages
import Exchange
import ExtensionHost
import FileProviderEngine
import FileProviderWire
import LinuxSystem

/// Applies the settings of the desktop that concern transfers.
extension DomainService {
    /// Stores the desktop's settings, and adopts them in a task. Each task adopts the settings that were stored last,
    /// so that the order of the tasks does not matter.
    ///
    /// - Parameter settings: `nil` if there is no desktop any more.
    nonisolated func adopt(_ settings: DesktopSettingsNotice?) {
        desktopSettings.withLock { $0 = settings }
        Task { await adoptDesktopSettings() }
    }

    private func adoptDesktopSettings() async {
        let settings = desktopSettings.withLock { $0 }
        isMetered = settings?.isMetered ?? false
        // The proxies are not logged, because an address may contain a password.
        if let settings, NetworkProxies.setDesktop(settings.proxies) {
            log.info("the desktop has other proxies")
            for case .running(_, let domain) in places.values { await domain.provider.renew() }
        }
        for name in places.keys.sorted() {
            guard case .running(let record, let domain) = places[name] else { continue }
            await adoptPause(of: record, domain)
            await noteWatch(name)
        }
    }

    /// Whether background transfers of a domain wait, because the user paused them or because the network is metered.
    func pauses(_ record: DomainRecord) -> Bool { record.isPaused || waitsForNetwork(record) }

    /// Whether background transfers of a domain wait for a network that is not metered.
    func waitsForNetwork(_ record: DomainRecord) -> Bool { isMetered && !record.usesMeteredNetworks }
}
