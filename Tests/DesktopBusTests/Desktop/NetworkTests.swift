import DaemonTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Metered networks, and the desktop's proxies.
@Suite(.timeLimit(.minutes(20)), .enabled(if: DesktopPart.canStart, "Python's module gi is not installed"))
struct NetworkTests {
    /// Runs a test with a daemon for which the test's bus is also that of the system.
    private func run(_ body: (BusFixture) async throws -> Void) async throws {
        try await BusFixture.run({ bus in
            let folder = (bus.socket as NSString).deletingLastPathComponent
            try? FileManager.default.createDirectory(
                atPath: folder + "/config/glib-2.0/settings", withIntermediateDirectories: true)
            return [
                "PURVEY_BUS=", "DBUS_SESSION_BUS_ADDRESS=" + bus.address, "DBUS_SYSTEM_BUS_ADDRESS=" + bus.address,
                "GSETTINGS_BACKEND=keyfile", "XDG_CONFIG_HOME=" + folder + "/config", "http_proxy=", "https_proxy=",
                "all_proxy=", "HTTPS_PROXY=", "ALL_PROXY=", "no_proxy=", "NO_PROXY=",
            ]
        }) { try await body($0) }
    }

    private func isWaiting(_ test: BusFixture) async throws -> Bool {
        try await test.succeed("status").contains("the network is metered")
    }

    private func serviceHas(_ name: String, _ test: BusFixture) async throws -> Bool {
        try await test.tell { try $0.snapshot().keys.contains(name) }
    }

    @Test func backgroundTransfersWaitOnAMeteredNetworkAndOpenedFilesAreFetched() async throws {
        try await run { test in
            try await test.tell { try $0.put("known.txt", "known") }
            try await test.succeed("ls", "Cloud:")
            let network = try await DesktopPart.start("desktop", ["network"], on: test.bus)
            try network.write("1\n")
            try await test.eventually("the network is metered") { try await isWaiting(test) }
            try await test.write("new", to: "new.txt")
            let mount = test.mount
            #expect(try await onThread { try Files.read(mount + "/known.txt") } == "known")
            try await test.eventually("the edit waits") {
                try await test.succeed("status").contains("0 running, 1 waiting")
            }
            #expect(try await test.succeed("status", "--json").contains("\"waitsForNetwork\" : true"))
            #expect(!(try await serviceHas("new.txt", test)))
            try network.write("4\n")
            try await test.eventually("the edit is sent") { try await serviceHas("new.txt", test) }
            #expect(!(try await isWaiting(test)))
            // A network that is probably metered, and a manager that ends.
            try network.write("3\n")
            try await test.eventually("the network is metered") { try await isWaiting(test) }
            network.send(SIGKILL)
            try await test.eventually("nothing waits") { !(try await isWaiting(test)) }
        }
    }

    @Test func aDomainMayUseMeteredNetworks() async throws {
        try await run { test in
            let network = try await DesktopPart.start("desktop", ["network"], on: test.bus)
            try network.write("1\n")
            try await test.eventually("the network is metered") { try await isWaiting(test) }
            try await test.write("new", to: "new.txt")
            let (ending, text) = try await onThread { [daemon = test.daemon] in
                try daemon.purvey(["domains", "set", "Cloud", "metered=sometimes"])
            }
            #expect(ending == .exited(1) && text.contains("metered cannot be \"sometimes\": wait or use"), "\(text)")
            try await test.succeed("domains", "set", "Cloud", "metered=use")
            try await test.eventually("the edit is sent") { try await serviceHas("new.txt", test) }
            #expect(!(try await isWaiting(test)))
            // A pause by the user is another matter.
            try await test.succeed("pause", "Cloud")
            try await test.write("newer", to: "newer.txt")
            try network.write("2\n")
            try await test.succeed("domains", "set", "Cloud", "metered=")
            #expect(!(try await serviceHas("newer.txt", test)))
            try await test.succeed("resume", "Cloud")
            try await test.eventually("the edit is sent") { try await serviceHas("newer.txt", test) }
            withExtendedLifetime(network) {}
        }
    }

    /// Returns the environment of the provider's process.
    private func environment(_ test: BusFixture) -> [String] {
        for process in test.daemon.children {
            // A process may end at any time.
            guard let name = try? Files.read("/proc/\(process)/comm"), name.hasPrefix("ScriptableProvi"),
                let variables = try? Files.read("/proc/\(process)/environ")
            else { continue }
            return variables.split(separator: "\0").map(String.init)
        }
        return []
    }

    @Test func providersGetTheProxiesOfTheDesktop() async throws {
        try await run { test in
            let settings = (test.bus.socket as NSString).deletingLastPathComponent + "/config/glib-2.0/settings"
            // A program of the desktop replaces the file.
            try """
            [system/proxy]
            mode='manual'
            ignore-hosts=['localhost', '*.example.org']

            [system/proxy/http]
            host='proxy.example'
            port=3128
            use-authentication=true
            authentication-user='ada'
            authentication-password='p@ss/word'

            [system/proxy/https]
            host='other.example'
            port=3129

            [system/proxy/socks]
            host='::1'
            port=1080
            """.write(toFile: settings + "/keyfile", atomically: true, encoding: .utf8)
            try await test.eventually("a process of the provider has the proxies") {
                try await test.succeed("ls", "Cloud:")
                return environment(test).contains("http_proxy=http://ada:p%40ss%2Fword@proxy.example:3128")
            }
            let variables = environment(test)
            #expect(variables.contains("all_proxy=socks5h://[::1]:1080"))
            #expect(variables.contains("no_proxy=localhost,.example.org"))
            // Another proxy does not get the password.
            #expect(variables.contains("https_proxy=http://other.example:3129"))
            let log = try Files.read(test.daemon.home + "/daemon.log")
            #expect(!log.contains("p%40ss") && !log.contains("proxy.example"))
        }
    }
}
