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
        private let process: ProcessDescriptor

        init(_ connection: Connection, _ process: ProcessDescriptor) {
            self.connection = connection
            self.process = process
        }

        func end() {
            connection.close()
            // It may have ended by itself.
            try? process.send(signal: SIGKILL)
        }
    }

    private let program: String
    private let data: String
    private var instance: Instance?
    private var isClosed = false
    private var calls = 0
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

    /// Makes small pictures of one; see ``ShrinkPictureCall``.
    ///
    /// - Returns: PNG files, as long as the process did what it was made for: what they say is to be believed as little as the
    ///   picture.
    package func shrink(_ picture: FileDescriptor, sides: [Int]) async throws(PictureFailure) -> SmallPictures {
        let instance = try await current()
        calls += 1
        let watch = SilenceWatch(Self.timeLimit) { instance.end() }
        let result: Result<ShrinkPictureCall.Reply, ConduitError>
        do throws(ConduitError) {
            result = .success(try await instance.connection.call(ShrinkPictureCall(picture: picture, sides: sides)))
        } catch {
            result = .failure(error)
        }
        watch.stop()
        calls -= 1
        lastUse = .now
        switch result {
        case .success(let reply):
            guard let pictures = SmallPictures(reply.file, sizes: reply.sizes) else {
                throw .unusable("what was made of it is not all there")
            }
            return pictures
        case .failure(.remote(let failure)) where failure.domain == ShrinkPictureCall.errorDomain:
            throw .unusable(failure.message)
        case .failure(.disconnected):
            if self.instance === instance { self.instance = nil }
            instance.end()
            // Others that were under way are tried again when somebody looks again.
            if isClosed { throw .unavailable("it was closed") }
            throw .unusable("the process that was decoding it ended")
        case .failure(let error): throw .unavailable("\(error)")
        }
    }

    package func close() {
        isClosed = true
        instance?.end()
        instance = nil
    }

    private func current() async throws(PictureFailure) -> Instance {
        if isClosed { throw .unavailable("it was closed") }
        if let instance { return instance }
        let (program, data) = (program, data)
        let started = await HandlerThreads.shared.value { Result { try Self.start(program, data: data) } }
        // Somebody else may have started one meanwhile.
        if let instance {
            (try? started.get())?.end()
            return instance
        }
        do {
            let instance = try started.get()
            if isClosed { instance.end() }
            self.instance = instance
            lastUse = .now
            watchIdleness()
            return instance
        } catch {
            throw .unavailable("\(program) cannot be started: \(error)")
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
            return Instance(connection, process)
        } catch {
            try? process.send(signal: SIGKILL)
            _ = try? child.wait()
            throw error
        }
    }
}
