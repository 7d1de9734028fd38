import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import MountTakeover
import ProviderTesting

/// A domain that receives requests as the kernel sends them, without a mount. Simulated processes can serve it in
/// succession.
final class DispatchedDomain {
    let provider = MemoryProvider()
    private let folder: TestFolder
    private let configuration: DomainConfiguration
    private let device: RequestDevice
    private var engine: DomainEngine
    private var files: any FileSystem
    private(set) var sharedTable: SharedHandleTable
    /// The file systems of processes that have ended. They are retained, because releasing them would release resources
    /// that the kernel still uses.
    private var gone: [any FileSystem] = []
    private var last: UInt64 = 0

    /// - Parameter settlingTime: The delay in seconds after which edits are sent. The default exceeds the duration of a
    ///   test.
    init(settlingTime: Double = 3600, _ prepare: (MemoryProvider) -> Void = { _ in }) throws {
        prepare(provider)
        folder = try TestFolder()
        device = try RequestDevice()
        var configuration = DomainConfiguration(
            identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
            cacheFolder: folder.path + "/cache")
        configuration.settlingTime = settlingTime
        self.configuration = configuration
        engine = try DomainEngine(configuration: configuration, provider: provider)
        sharedTable = try SharedHandleTable()
        files = DomainMount.fileSystem(engine, sharedTable: sharedTable)
    }

    deinit {
        files.end()
        engine.abandon()
    }

    /// Makes another process take over, as after the death of the current one.
    func takeOver(backing: (Int32) -> BackingFile? = { _ in nil }) throws {
        engine.abandon()
        // Wait for what the old engine has begun on its thread.
        let latch = Latch()
        engine.perform { _ in latch.open() }
        latch.wait()
        gone.append(files)
        sharedTable = try SharedHandleTable(takingOver: sharedTable.file)
        engine = try DomainEngine(
            configuration: configuration, provider: provider, resuming: sharedTable.handlesToResume)
        files = DomainMount.fileSystem(engine, sharedTable: sharedTable, backing: backing)
    }

    /// Makes the engine request changes from the provider.
    func signal() { engine.signal(container: nil) }

    // MARK: Requests

    /// A request, and the kernel's number for it.
    struct Question {
        let unique: UInt64
        fileprivate let opcode: Opcode
        fileprivate let node: UInt64
        fileprivate let body: [UInt8]
    }

    /// The parts of a reply that the tests check.
    struct Answer {
        let error: Int32
        let body: [UInt8]

        /// Returns the number at an offset: the node of an entry or the handle of an open at 0, the handle of a
        /// creation after the entry.
        func number(at place: Int = 0) -> UInt64 {
            guard body.count >= place + 8 else { return 0 }
            return body.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        }

        /// The number of bytes written.
        var count: UInt64 { number() & 0xFFFF_FFFF }
    }

    /// The offset of the handle in the reply to a creation.
    static let handlePlace = 128

    func question(_ opcode: Opcode, in node: UInt64 = 1, _ body: [UInt8]) -> Question {
        last += 2
        return Question(unique: last, opcode: opcode, node: node, body: body)
    }

    /// - Parameter again: Whether the request is repeated, because its first reader died before the reply.
    func ask(_ question: Question, again: Bool = false) throws -> Answer {
        let unique = again ? question.unique | RequestDevice.repeated : question.unique
        let bytes = RequestDevice.request(question.opcode.rawValue, question.body, node: question.node, unique: unique)
        guard device.serve(bytes, by: files) else { throw RequestDevice.Malformed() }
        guard question.opcode != .forget, question.opcode != .batchForget else { return Answer(error: 0, body: []) }
        guard let answer = try device.wait(count: 1).first, answer.unique == unique else {
            throw RequestDevice.Malformed()
        }
        return Answer(error: answer.error, body: answer.body)
    }

    func ask(_ opcode: Opcode, in node: UInt64 = 1, _ body: [UInt8]) throws -> Answer {
        try ask(question(opcode, in: node, body))
    }

    // MARK: Bodies

    static func name(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }

    static func folder(_ name: String) -> [UInt8] { RequestDevice.numbers(.short(0o755), .short(0)) + self.name(name) }

    static func file(_ name: String) -> [UInt8] {
        RequestDevice.numbers(.short(S_IFREG | 0o644), .short(0), .short(0), .short(0)) + self.name(name)
    }

    static func synchronizing(_ handle: UInt64) -> [UInt8] {
        RequestDevice.numbers(.long(handle), .short(0), .short(0))
    }

    static func making(_ name: String, flags: Int32 = O_RDWR) -> [UInt8] {
        RequestDevice.numbers(.short(UInt32(flags)), .short(S_IFREG | 0o644), .short(0), .short(0)) + self.name(name)
    }

    static func opening(_ flags: Int32 = O_RDWR) -> [UInt8] { RequestDevice.numbers(.short(UInt32(flags)), .short(0)) }

    static func reading(_ handle: UInt64, count: Int = 1000) -> [UInt8] {
        RequestDevice.numbers(
            .long(handle), .long(0), .short(UInt32(count)), .short(0), .long(0), .short(0), .short(0))
    }

    /// - Parameter flags: The flags of the open.
    static func writing(_ text: String, _ handle: UInt64, at offset: Int, flags: Int32 = O_RDWR) -> [UInt8] {
        RequestDevice.numbers(
            .long(handle), .long(UInt64(offset)), .short(UInt32(text.utf8.count)), .short(0), .long(0),
            .short(UInt32(flags)), .short(0))
            + Array(text.utf8)
    }

    static func allocating(_ flags: AllocationFlags, _ handle: UInt64, at offset: Int, length: Int) -> [UInt8] {
        RequestDevice.numbers(
            .long(handle), .long(UInt64(offset)), .long(UInt64(length)), .short(flags.rawValue), .short(0))
    }

    static func renaming(_ name: String, to newName: String, _ flags: RenameFlags = []) -> [UInt8] {
        RequestDevice.numbers(.long(1), .short(flags.rawValue), .short(0)) + self.name(name) + self.name(newName)
    }

    static func closing(_ handle: UInt64) -> [UInt8] {
        RequestDevice.numbers(.long(handle), .short(0), .short(0), .long(0))
    }

    static func attribute(_ name: String, _ value: String, flags: Int32 = 0) -> [UInt8] {
        RequestDevice.numbers(.short(UInt32(value.utf8.count)), .short(UInt32(flags))) + self.name(name)
            + Array(value.utf8)
    }

    // MARK: Inspecting

    /// Returns the contents that can be read through a handle, or `nil` if the read fails.
    func text(_ node: UInt64, _ handle: UInt64) throws -> String? {
        let answer = try ask(.read, in: node, Self.reading(handle))
        return answer.error == 0 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    /// Returns the value of an attribute, or `nil` if it does not exist.
    func attribute(_ name: String, of node: UInt64) throws -> String? {
        let answer = try ask(
            .getExtendedAttribute, in: node, RequestDevice.numbers(.short(1000), .short(0)) + Self.name(name))
        return answer.error == 0 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    /// Returns the node that a name leads to, or 0 for none.
    func node(_ name: String) throws -> UInt64 {
        let answer = try ask(.lookup, Self.name(name))
        return answer.error == 0 ? answer.number() : 0
    }

    /// Whether the file system knows the node.
    func knows(_ node: UInt64) throws -> Bool {
        try ask(.getAttributes, in: node, RequestDevice.numbers(.short(0), .short(0), .long(0))).error == 0
    }
}
