import FileProvider
import LinuxSystem

/// One domain: its index, the bytes that are here, and their way from and to the provider.
///
/// Everything that changes state is done on the engine's own thread, which is the actor's executor; it may block for the
/// disk, and never for the provider. What is declared `nonisolated` may be called on any thread and does not block for either.
package actor DomainEngine {
    package nonisolated let configuration: DomainConfiguration
    package nonisolated let provider: any Provider
    package nonisolated let clock: any EngineClock

    nonisolated let thread: EngineThread
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    // What the parts keep; each is touched by the files of its folder only.
    var listings = Listings()
    var changes = ChangeState()
    var contents = ContentTransfers()
    var edits = EditState()
    /// Nothing is begun and nothing is written any more.
    private(set) var isClosed = false

    package init(
        configuration: DomainConfiguration, provider: any Provider, clock: any EngineClock = SystemEngineClock()
    ) throws {
        self.configuration = configuration
        self.provider = provider
        self.clock = clock
        thread = try EngineThread(name: "purvey-engine")
    }

    deinit { thread.stop() }

    /// Runs a job on the engine's thread, in its turn.
    package nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void) {
        thread.run { self.assumeIsolated(job) }
    }
}
