import ExtensionHost
import Testing

/// The proxies in the environment of extensions.
@Suite struct NetworkProxiesTests {
    private let desktop = ["http_proxy=http://desktop:1", "no_proxy=localhost"]

    @Test func extensionsGetTheProxiesOfTheDesktop() {
        #expect(NetworkProxies.variables(in: ["HOME": "/home"], desktop: desktop) == desktop)
        #expect(NetworkProxies.variables(in: [:], desktop: []) == [])
    }

    @Test func proxiesInTheEnvironmentReplaceThoseOfTheDesktop() {
        let environment = [
            "https_proxy": "http://own:2", "ALL_PROXY": "socks5h://own:3", "NO_PROXY": "own", "HOME": "/",
        ]
        #expect(
            NetworkProxies.variables(in: environment, desktop: desktop)
                == ["https_proxy=http://own:2", "ALL_PROXY=socks5h://own:3", "NO_PROXY=own"])
    }

    @Test func anEnvironmentWithExceptionsAloneHasNoProxies() {
        let environment = ["no_proxy": "own", "http_proxy": ""]
        #expect(NetworkProxies.variables(in: environment, desktop: desktop) == desktop)
        #expect(NetworkProxies.variables(in: environment, desktop: []) == [])
    }

    /// Programs on a web server get the header `Proxy` of a request in this variable.
    @Test func theUpperCaseNameOfTheProxyForHTTPIsIgnored() {
        #expect(NetworkProxies.variables(in: ["HTTP_PROXY": "http://attacker:4"], desktop: []) == [])
    }

    @Test func theDesktopSetsNoOtherVariables() {
        let variables = ["LD_PRELOAD=/tmp/a.so", "PATH=/tmp", "http_proxy=http://desktop:1\0PATH=/tmp", "http_proxy"]
        #expect(NetworkProxies.variables(in: [:], desktop: variables + desktop) == desktop)
    }
}
