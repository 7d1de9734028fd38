import DaemonTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService

/// A daemon for one test, with a mounted domain "Cloud" whose service the test controls.
package struct BrowsedCloud: Sendable {
    package let daemon: StartedDaemon
    package let cloud: StartedCloud
    /// The directory of all files of the test. Its path is short enough for a socket in it.
    package let home: String
    /// The separate disk for the data of all domains; `nil` if there is none.
    package let disk: FullDisk?

    /// The domain's mount point.
    package var mount: String { daemon.home + "/mounts/Cloud" }

    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// Runs a test.
    ///
    /// - Parameters:
    ///   - files: the files of the service, by path.
    ///   - diskMegabytes: the size of a separate disk for the data of all domains; `nil` for no separate disk.
    ///   - variables: environment variables of the daemon as `NAME=value`, which override this process's own.
    package static func run(
        _ files: [String: String] = [:], diskMegabytes: Int? = nil, daemonVariables variables: [String] = [],
        isolation: isolated (any Actor)? = #isolation, _ body: (BrowsedCloud) async throws -> Void
    ) async throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        let home = temporary + "/pvf-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let place = try await onThread { try BrowsedCloud(home: home, files, diskMegabytes, variables) }
        let result: Result<Void, any Error>
        do {
            try await body(place)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let isGone = try await onThread {
            _ = place.daemon.end()
            place.cloud.end()
            place.disk?.unmount()
            return place.daemon.removeHome(mount: place.mount)
        }
        try? FileManager.default.removeItem(atPath: home)
        try result.get()
        if !isGone { throw Failed("the daemon's directory was not removed") }
    }

    private init(home: String, _ files: [String: String], _ diskMegabytes: Int?, _ variables: [String]) throws {
        self.home = home
        let program = try BuiltProgram.path("ScriptableProvider")
        cloud = try StartedCloud(program: program, folder: home + "/service")
        daemon = try StartedDaemon(home: home + "/h")
        try FileManager.default.createDirectory(atPath: daemon.home, withIntermediateDirectories: true)
        let domains = daemon.home + "/data/domains"
        disk = try diskMegabytes.map { try FullDisk(megabytes: $0, at: domains) }
        try StartedCloud.makeBundle(
            at: home + "/Scriptable.appex", program: program,
            actions: StartedCloud.standardActions + StartedCloud.replyingActions, replies: true)
        for (path, text) in files { try cloud.control.put(path, text) }
        try daemon.start(variables)
        try succeed("extensions", "install", "--link", home + "/Scriptable.appex")
        try succeed("domains", "add", StartedCloud.providerIdentifier, "Cloud", "path=" + cloud.folder)
    }

    /// Runs `purvey`, which must succeed. Blocks.
    private func succeed(_ arguments: String...) throws {
        let (ending, text) = try daemon.purvey(arguments)
        guard ending == .exited(0) else { throw Failed("\(arguments): \(text)") }
    }

    /// Installs a bundle with a program that was built beside the tests, such as a share extension. Blocks.
    ///
    /// - Parameter list: the bundle's property list without its program.
    package func install(_ program: String, _ list: [String: Any]) throws {
        let bundle = home + "/" + program + ".appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let complete = list.merging(["CFBundleExecutable": program]) { $1 }
        try PropertyListSerialization.data(fromPropertyList: complete, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        try FileManager.default.copyItem(atPath: BuiltProgram.path(program), toPath: bundle + "/" + program)
        try succeed("extensions", "install", bundle)
    }

    /// Installs the user interface of the domain's provider. Blocks.
    package func installInterface() throws {
        let bundle = home + "/ScriptableInterface.appex"
        try StartedCloud.makeInterfaceBundle(
            at: bundle, program: BuiltProgram.path("ScriptableProvider"), timeLimit: 600)
        try succeed("extensions", "install", "--link", bundle)
    }

    /// Runs a request to the service on a separate thread.
    package func tell<Value: Sendable>(
        _ body: @escaping @Sendable (CloudControl) throws -> Value
    ) async throws -> Value {
        let control = cloud.control
        return try await onThread { try body(control) }
    }

    /// Changes the service as another client does, and notifies the daemon.
    package func changeAtService(_ body: @escaping @Sendable (CloudControl) throws -> Void) async throws {
        let daemon = daemon
        try await tell(body)
        _ = try await onThread { try daemon.purvey(["signal", "Cloud"]) }
    }

    /// Returns the paths of the service's items.
    package func paths() async throws -> Set<String> { try await tell { Set(try $0.snapshot().keys) } }
}

/// Runs a blocking, throwing function on a handler thread.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await HandlerThreads.shared.value(of: { Result { try body() } }).get()
}

/// Polls until a condition holds. A busy machine may take long.
///
/// - Throws: ``BrowsedCloud/Failed`` if it never holds.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ words: String, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<3_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(100))
    }
    throw BrowsedCloud.Failed("never: \(words)")
}
