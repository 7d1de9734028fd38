import Conduit
import FileProvider
import Glibc
import LinuxSystem

/// Why there is no small picture.
package enum PictureFailure: Error, Sendable {
    /// Nothing can be made of this one, now or later.
    case unusable(String)
    /// No picture can be looked at now.
    case unavailable(String)
}

/// The process that decodes pictures of strangers' making: confined, started when it is needed, ended when it is not or when a
/// picture takes it too long, started again after a crash.
package actor PictureProcess {
    private final class Instance: Sendable {
        let connection: Connection
        let processID: pid_t
        private let process: ProcessDescriptor

        init(_ connection: Connection, _ process: ProcessDescriptor, _ processID: pid_t) {
            self.connection = connection
            self.process = process
            self.processID = processID
        }

        func end() {
            connection.close()
            // It may have ended by itself.
            try? process.send(signal: SIGKILL)
        }
    }

    private let program: String
    private let data: String
    /// The one that decodes all pictures at once.
    private var instance: Instance?
    /// Those that decode one picture each.
    private var others: [ObjectIdentifier: Instance] = [:]
    private var isClosed = false
    /// How many pictures it is at.
    package private(set) var calls = 0
    private var lastUse = ContinuousClock.now

    /// How long a picture may take, and how long the process stays with nothing to do.
    private static let timeLimit: Duration = .seconds(20)
    private static let idleTime: Duration = .seconds(10)
    /// Bytes of memory: a picture is held whole once or twice.
    private static let memory: UInt64 = 768 << 20

    /// All that is in its environment. A thread for each picture is enough; and the C library keeps the memory for the next
    /// picture, which costs a third of the time when the kernel makes it anew.
    private static let environment = [
        "VIPS_CONCURRENCY=1", "LC_ALL=C.UTF-8", "MALLOC_MMAP_THRESHOLD_=\(32 << 20)",
        "MALLOC_TRIM_THRESHOLD_=\(128 << 20)",
    ]

    /// - Parameters:
    ///   - program: the path of `purvey-pictures`.
    ///   - data: the folder of what Purvey keeps for this user, of which the process reaches nothing.
    package init(program: String, data: String) {
        self.program = program
        self.data = data
    }

    /// The process that decodes all pictures at once, if there is one: for tests.
    package var processID: pid_t? { instance?.processID }

    /// Makes small pictures of one; see ``ShrinkPictureCall``.
    ///
    /// - Returns: PNG files, as long as the process did what it was made for: what they say is to be believed as little as the
    ///   picture.
    package func shrink(_ picture: FileDescriptor, sides: [Int]) async throws(PictureFailure) -> SmallPictures {
        let shared = try await current()
        calls += 1
        defer {
            calls -= 1
            lastUse = .now
        }
        if let pictures = try await shrink(picture, sides, by: shared) { return pictures }
        if instance === shared { instance = nil }
        // Whichever picture it was that the process died of, or something else: of this one it is known when nobody else is there.
        let alone = try await started()
        others[ObjectIdentifier(alone)] = alone
        defer {
            others[ObjectIdentifier(alone)] = nil
            alone.end()
        }
        if let pictures = try await shrink(picture, sides, by: alone) { return pictures }
        throw .unusable("the process that was decoding it ended")
    }

    /// - Returns: `nil` where the process ended meanwhile, or was ended because it took too long.
    private func shrink(
        _ picture: FileDescriptor, _ sides: [Int], by instance: Instance
    ) async throws(PictureFailure) -> SmallPictures? {
        let watch = SilenceWatch(Self.timeLimit) { instance.end() }
        let result: Result<ShrinkPictureCall.Reply, ConduitError>
        do throws(ConduitError) {
            result = .success(try await instance.connection.call(ShrinkPictureCall(picture: picture, sides: sides)))
        } catch {
            result = .failure(error)
        }
        watch.stop()
        switch result {
        case .success(let reply):
            guard let pictures = SmallPictures(reply.file, sizes: reply.sizes) else {
                throw .unusable("what was made of it is not all there")
            }
            return pictures
        case .failure(.remote(let failure)) where failure.domain == ShrinkPictureCall.errorDomain:
            if failure.code == ShrinkPictureCall.unavailable { throw .unavailable(failure.message) }
            throw .unusable(failure.message)
        case .failure(.disconnected):
            instance.end()
            if isClosed { throw .unavailable("it was closed") }
            return nil
        case .failure(let error): throw .unavailable("\(error)")
        }
    }

    package func close() {
        isClosed = true
        instance?.end()
        instance = nil
        for other in others.values { other.end() }
    }

    private func current() async throws(PictureFailure) -> Instance {
        if isClosed { throw .unavailable("it was closed") }
        if let instance { return instance }
        let started: Instance
        do throws(PictureFailure) {
            started = try await self.started()
        } catch {
            // Somebody else may have started one meanwhile.
            if let instance { return instance }
            throw error
        }
        if let instance {
            started.end()
            return instance
        }
        instance = started
        lastUse = .now
        watchIdleness()
        return started
    }

    private func started() async throws(PictureFailure) -> Instance {
        let (program, data) = (program, data)
        let started = await HandlerThreads.shared.value { Result { try Self.start(program, data: data) } }
        do {
            let instance = try started.get()
            guard !isClosed else {
                instance.end()
                throw PictureFailure.unavailable("it was closed")
            }
            return instance
        } catch {
            throw error as? PictureFailure ?? .unavailable("\(program) cannot be started: \(error)")
        }
    }

    private func watchIdleness() {
        Deadlines.shared.run(after: Self.idleTime) { [weak self] in
            guard let self else { return }
            Task { await self.lookForIdleness() }
        }
    }

    private func lookForIdleness() {
        guard let instance else { return }
        guard calls == 0, ContinuousClock.now - lastUse >= Self.idleTime else { return watchIdleness() }
        self.instance = nil
        instance.end()
    }

    private static func start(_ program: String, data: String) throws -> Instance {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        var confinement = Confinement(workingFolder: "/")
        confinement.memory = memory
        confinement.fileSize = UInt64(ShrinkPictureCall.mostBytes)
        confinement.descriptors = 256
        let readable = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"] + SwiftLibraries.ofThisProcess
        let facts = ["/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu", "/dev/urandom"]
        confinement.paths = [(program, [.read, .execute]), ("/dev/null", [.read, .write])]
        confinement.paths += Confinement.loaders
        for path in readable + facts { confinement.paths.append((path, .read)) }
        let libraries = SwiftLibraries(reachable: readable, data: data).files(of: program)
        confinement.paths += libraries.map { ($0, [.read, .withoutLinks]) }
        let child = try ChildProgram.start(
            program, arguments: [], environment: environment,
            descriptors: [nil, nil, nil, theirs.descriptor], confinedTo: confinement)
        // Not waited for yet, so the number is still this process's.
        let process = try ProcessDescriptor.open(child.processID)
        do {
            let connection = try Connection(ours, service: Service())
            try SystemThread.start("purvey-pictures") { _ = try? child.wait() }
            return Instance(connection, process, child.processID)
        } catch {
            try? process.send(signal: SIGKILL)
            _ = try? child.wait()
            throw error
        }
    }
}
