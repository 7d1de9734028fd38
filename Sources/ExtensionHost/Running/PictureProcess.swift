import Conduit
import FileProviderWire
import Glibc
import LinuxSystem
import Sandbox

/// The reason why no thumbnail was made.
package enum PictureError: Error, Sendable {
    /// The picture cannot be decoded. A later attempt would fail, too.
    case unusable(String)
    /// No picture can be decoded at present. A later attempt may succeed.
    case unavailable(String)
}

/// Manages the confined process that decodes untrusted pictures. The process is started on demand, and ended when it is
/// idle or when a picture takes too long. After a crash, it is started again for the next picture.
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
            // The process may have ended by itself.
            try? process.send(signal: SIGKILL)
        }
    }

    private let program: String
    private let data: String
    /// The process that decodes several pictures concurrently; `nil` if it does not run.
    private var instance: Instance?
    /// Further processes, each of which decodes a single picture.
    private var others: [ObjectIdentifier: Instance] = [:]
    private var isClosed = false
    /// The number of pictures that are being decoded.
    package private(set) var calls = 0
    private var lastUse = ContinuousClock.now

    /// The time limit for one picture. `idleTime` is the time after which an idle process is ended.
    private static let timeLimit: Duration = .seconds(20)
    private static let idleTime: Duration = .seconds(10)
    /// The memory limit of the process in bytes. A decoded picture is in memory once or twice.
    private static let memory: UInt64 = 768 << 20

    /// The complete environment of the process. The variables limit the decoders to one thread for each picture, and
    /// make the C library retain freed memory for the next picture. If the C library returned the memory, a third of
    /// the time would be spent on getting memory from the kernel again.
    private static let environment = [
        "VIPS_CONCURRENCY=1", "LC_ALL=C.UTF-8", "MALLOC_MMAP_THRESHOLD_=\(32 << 20)",
        "MALLOC_TRIM_THRESHOLD_=\(128 << 20)",
    ]

    /// Creates the manager, without starting the process.
    ///
    /// - Parameters:
    ///   - program: The path of `purvey-pictures`.
    ///   - data: The directory of Purvey's data for this user, which the process cannot access.
    package init(program: String, data: String) {
        self.program = program
        self.data = data
    }

    /// The ID of the process that decodes pictures concurrently; `nil` if it does not run. For tests.
    package var processID: pid_t? { instance?.processID }

    /// Makes thumbnails of a picture; see ``ShrinkPictureCall``.
    ///
    /// - Returns: PNG files. They are not trusted, either, because the picture may have compromised the process.
    package func shrink(_ picture: FileDescriptor, sides: [Int]) async throws(PictureError) -> SmallPictures {
        let shared = try await current()
        calls += 1
        defer {
            calls -= 1
            lastUse = .now
        }
        if let pictures = try await shrink(picture, sides, by: shared) { return pictures }
        if instance === shared { instance = nil }
        // Another picture may have caused the process's end. A process that decodes only this picture shows whether
        // this picture is the cause.
        let alone = try await started()
        others[ObjectIdentifier(alone)] = alone
        defer {
            others[ObjectIdentifier(alone)] = nil
            alone.end()
        }
        if let pictures = try await shrink(picture, sides, by: alone) { return pictures }
        throw .unusable("the process that was decoding it ended")
    }

    /// Makes thumbnails of a picture in the given process.
    ///
    /// - Returns: `nil` if the process ended before its reply, or was ended because it took too long.
    private func shrink(
        _ picture: FileDescriptor, _ sides: [Int], by instance: Instance
    ) async throws(PictureError) -> SmallPictures? {
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
                throw .unusable("the thumbnail is incomplete")
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

    private func current() async throws(PictureError) -> Instance {
        if isClosed { throw .unavailable("it was closed") }
        if let instance { return instance }
        let started: Instance
        do throws(PictureError) {
            started = try await self.started()
        } catch {
            // A concurrent call may have started a process meanwhile.
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

    private func started() async throws(PictureError) -> Instance {
        let (program, data) = (program, data)
        let started = await HandlerThreads.shared.value { Result { try Self.start(program, data: data) } }
        do {
            let instance = try started.get()
            guard !isClosed else {
                instance.end()
                throw PictureError.unavailable("it was closed")
            }
            return instance
        } catch {
            throw error as? PictureError ?? .unavailable("\(program) cannot be started: \(error)")
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
        // The limit is not lower, because the kernel compares it with all of the user's descriptors in flight, most of
        // which belong to other processes.
        confinement.descriptors = Confinement.mostDescriptors
        let readable = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"] + SwiftLibraries.ofThisProcess
        let systemFiles = ["/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu", "/dev/urandom"]
        confinement.paths = [(program, [.read, .execute]), ("/dev/null", [.read, .write])]
        confinement.paths += Confinement.loaders
        for path in readable + systemFiles { confinement.paths.append((path, .read)) }
        let libraries = SwiftLibraries(reachable: readable, data: data).files(of: program)
        confinement.paths += libraries.map { ($0, [.read, .withoutLinks]) }
        let child = try ChildProgram.start(
            program, arguments: [], environment: environment,
            descriptors: [nil, nil, nil, theirs.descriptor], confinedTo: confinement)
        do {
            // The child has not been waited for yet, so its process ID cannot have been reused.
            let process = try ProcessDescriptor.open(child.processID)
            let connection = try Connection(ours, service: Service(), isPeerConfined: true)
            try SystemThread.start("purvey-pictures") { _ = try? child.wait() }
            return Instance(connection, process, child.processID)
        } catch {
            child.kill()
            throw error
        }
    }
}

/// Thumbnails of a picture, in a sealed file that an untrusted process has written.
package struct SmallPictures: Sendable {
    /// The file that contains the thumbnails, one after the other.
    package let file: FileDescriptor
    /// The byte ranges of the thumbnails, the smallest first.
    package let ranges: [Range<Int>]

    /// Checks the file that a process sent. Returns `nil` if the file can still be changed, or is incomplete.
    ///
    /// - Parameter sizes: The sizes of the thumbnails in bytes, according to the process.
    package init?(_ file: FileDescriptor, sizes: [Int]) {
        guard MemoryFile.isSealed(file), let size = try? file.status().size,
            size <= ShrinkPictureCall.mostBytes
        else { return nil }
        var ranges: [Range<Int>] = []
        var end = 0
        for count in sizes {
            guard count > 0, count <= size - end else { return nil }
            ranges.append(end..<end + count)
            end += count
        }
        self.file = file
        self.ranges = ranges
    }
}
