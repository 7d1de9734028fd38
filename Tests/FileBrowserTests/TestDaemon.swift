import BrowserTesting
import Conduit
import DaemonTesting
import FileBrowser
import FileProvider

/// The daemon of a test. Only the test starts it.
struct TestDaemon: DaemonCalling {
    let daemon: StartedDaemon

    func call<C: Call>(
        _ request: C, progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws(BrowserError) -> C.Reply {
        guard let connection = daemon.connection else { throw BrowserError("no daemon runs", kind: .disconnected) }
        do throws(ConduitError) {
            return try await connection.call(request, progress: progress)
        } catch {
            throw BrowserError(error)
        }
    }

    func waitForDaemon() async { try? await Task.sleep(for: .milliseconds(50)) }
}

/// Runs a test with a browser that shows the domain of the test's daemon.
@MainActor func browse(
    _ files: [String: String], _ body: @MainActor (Browser, BrowsedCloud) async throws -> Void
) async throws {
    try await BrowsedCloud.run(files) { place in
        let browser = Browser(daemon: TestDaemon(daemon: place.daemon))
        browser.begin(at: .folder(domain: "Cloud", path: ""))
        browser.start()
        defer { browser.stop() }
        try await eventually("the domain is mounted") {
            browser.mount(of: "Cloud") != nil && !browser.isLoading
        }
        try await body(browser, place)
    }
}

extension Browser {
    /// The names in the order of the rows.
    var names: [String] { listing.all.map(\.name) }

    /// Returns the item with a name, once it is listed.
    func item(_ name: String) async throws -> BrowserItem {
        try await eventually("\(name) is listed") { names.contains(name) }
        return try listing.all.first { $0.name == name } ?? { throw BrowsedCloud.Failed(name) }()
    }
}
