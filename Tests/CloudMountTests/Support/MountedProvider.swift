import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import ItemStore
import LinuxSystem
import ProgramTesting
import ProviderTesting
import Testing

/// A provider in memory behind a real mount, which this process serves.
final class MountedProvider: Sendable {
    let provider: MemoryProvider
    let engine: DomainEngine
    let mounts: Mounts
    /// The path of the mount point.
    let path: String

    fileprivate init(
        _ provider: MemoryProvider, in folder: String, passing: Bool, pageSize: Int, folderLimit: Int?
    ) throws {
        self.provider = provider
        path = folder + "/mount"
        var configuration = DomainConfiguration(
            identifier: "test", displayName: "Test", dataFolder: folder + "/data", cacheFolder: folder + "/cache")
        configuration.settlingTime = 0.02
        configuration.pageSize = pageSize
        engine = try DomainEngine(configuration: configuration, provider: provider)
        var options = DomainMountOptions()
        options.wantsPassthrough = passing
        if let folderLimit { options.folderLimit = folderLimit }
        mounts = Mounts(options: options)
        try mounts.mount(engine, at: path)
    }

    fileprivate func end() async {
        mounts.unmountAll()
        await engine.close()
    }

    /// Returns the path of an item in the mount.
    func callAsFunction(_ relative: String) -> String { path + "/" + relative }

    // MARK: System calls

    func open(
        _ relative: String, _ options: FileDescriptor.OpenOptions = .readOnly, permissions: mode_t = 0o644
    ) throws(Errno) -> FileDescriptor {
        try .open(self(relative), options, permissions: permissions)
    }

    func bytes(_ relative: String) throws -> [UInt8] { try open(relative).everything() }

    func text(_ relative: String) throws -> String { String(decoding: try bytes(relative), as: UTF8.self) }

    /// Replaces a file's contents, as a shell does.
    func write(_ text: String, to relative: String) throws {
        let file = try open(relative, [.writeOnly, .create, .truncate])
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    func names(_ relative: String = ".") throws -> [String] {
        try FileDescriptor.open(self(relative), [.readOnly, .directory]).entries().map(\.name.description).sorted()
    }

    func status(_ relative: String) throws(Errno) -> FileStatus {
        try .of(self(relative), followingLinks: false)
    }

    /// Returns the error that a system call fails with, or `nil` if it succeeds.
    func failure(_ body: () throws -> Void) -> Errno? {
        do {
            try body()
            return nil
        } catch {
            return error as? Errno
        }
    }

    /// Waits until a condition on the provider or the mount holds.
    func wait(
        until condition: () throws -> Bool, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        for _ in 0..<60_000 {
            if (try? condition()) == true { return }
            usleep(5_000)
        }
        Issue.record(comment ?? "what was waited for did not come", sourceLocation: location)
    }

    /// Waits until the provider has all local edits.
    func waitUntilSent(at location: SourceLocation = #_sourceLocation) {
        wait(until: { try engine.index.changedItems().isEmpty }, "not everything was sent", at: location)
    }
}

/// Mounts a provider during a function.
///
/// - Parameters:
///   - passing: Whether complete files are passed through, if possible.
///   - folderLimit: The number of directories for which the kernel's cached names are tracked.
func withMount(
    passing: Bool = true, pageSize: Int = 2000, folderLimit: Int? = nil, _ prepare: (MemoryProvider) -> Void,
    _ body: (MountedProvider) async throws -> Void
) async throws {
    let folder = try TestFolder()
    let provider = MemoryProvider()
    prepare(provider)
    let mounted = try MountedProvider(
        provider, in: folder.path, passing: passing, pageSize: pageSize, folderLimit: folderLimit)
    do {
        try await body(mounted)
    } catch {
        await mounted.end()
        throw error
    }
    await mounted.end()
    withExtendedLifetime(folder) {}
}

/// Whether tests that mount must run: if this machine permits mounting, and always under CI.
let canMount: Bool = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

/// Starts a program by its name.
func start(_ words: String...) throws -> RunningProgram { try start(words) }

func start(_ words: [String]) throws -> RunningProgram { try RunningProgram("/usr/bin/env", words) }

/// The path of the program that maps files.
let mappingPeer = Result { try BuiltProgram.path("MappingPeer") }

/// A flag that a test sets once.
final class Flag: Sendable {
    private let state = Lock(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
