import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Fuse
import FuseTesting
import Glibc
import Keeping
import LinuxSystem
import ProviderTesting

/// A domain that is asked as the kernel asks, without a mount. One process after the other can serve it.
final class DispatchedDomain {
    let provider = MemoryProvider()
    private let folder: TestFolder
    private let configuration: DomainConfiguration
    private let device: RequestDevice
    private var engine: DomainEngine
    private var files: any FileSystem
    private(set) var ledger: OpeningLedger
    /// What those had that have gone: the kernel's hold of it is not theirs to end.
    private var gone: [any FileSystem] = []
    private var last: UInt64 = 0

    init(_ prepare: (MemoryProvider) -> Void = { _ in }) throws {
        prepare(provider)
        folder = try TestFolder()
        device = try RequestDevice()
        var configuration = DomainConfiguration(
            identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
            cacheFolder: folder.path + "/cache")
        // Nothing is sent meanwhile.
        configuration.settlingTime = 3600
        self.configuration = configuration
        engine = try DomainEngine(configuration: configuration, provider: provider)
        ledger = try OpeningLedger()
        files = DomainMount.fileSystem(engine, ledger: ledger)
    }

    deinit {
        files.end()
        engine.abandon()
    }

    /// Has another process serve it, as after the death of the one that does.
    func takeOver(backing: (Int32) -> BackingFile? = { _ in nil }) throws {
        engine.abandon()
        // What it has begun on its thread is over.
        let latch = Latch()
        engine.perform { _ in latch.open() }
        latch.wait()
        gone.append(files)
        ledger = try OpeningLedger(takingOver: ledger.file)
        engine = try DomainEngine(
            configuration: configuration, provider: provider, resuming: ledger.openingsToResume)
        files = DomainMount.fileSystem(engine, ledger: ledger, backing: backing)
    }

    /// Has the engine ask the provider for changes.
    func signal() { engine.signal(container: nil) }

    // MARK: Requests

    /// What is asked, and what the kernel calls it.
    struct Question {
        let unique: UInt64
        fileprivate let opcode: Opcode
        fileprivate let node: UInt64
        fileprivate let body: [UInt8]
    }

    /// What is answered, as far as anybody wants to know.
    struct Answer {
        let error: Int32
        let body: [UInt8]

        /// The number at a place: an entry's node at the beginning, the handle of an opening there, that of a creation after the entry.
        func number(at place: Int = 0) -> UInt64 {
            guard body.count >= place + 8 else { return 0 }
            return body.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        }

        /// How much was written.
        var count: UInt64 { number() & 0xFFFF_FFFF }
    }

    /// Where a creation has its handle.
    static let handlePlace = 128

    func question(_ opcode: Opcode, in node: UInt64 = 1, _ body: [UInt8]) -> Question {
        last += 2
        return Question(unique: last, opcode: opcode, node: node, body: body)
    }

    /// - Parameter again: whether it comes again, because who has read it first has died before the answer.
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

    /// - Parameter flags: of the opening.
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

    // MARK: Looking

    /// All that can be read through an opening; `nil` where it fails.
    func text(_ node: UInt64, _ handle: UInt64) throws -> String? {
        let answer = try ask(.read, in: node, Self.reading(handle))
        return answer.error == 0 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    /// What an attribute is; `nil` where there is none.
    func attribute(_ name: String, of node: UInt64) throws -> String? {
        let answer = try ask(
            .getExtendedAttribute, in: node, RequestDevice.numbers(.short(1000), .short(0)) + Self.name(name))
        return answer.error == 0 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    /// The node that a name leads to; 0 for none.
    func node(_ name: String) throws -> UInt64 {
        let answer = try ask(.lookup, Self.name(name))
        return answer.error == 0 ? answer.number() : 0
    }

    /// Whether anything is known of a node.
    func knows(_ node: UInt64) throws -> Bool {
        try ask(.getAttributes, in: node, RequestDevice.numbers(.short(0), .short(0), .long(0))).error == 0
    }
}
