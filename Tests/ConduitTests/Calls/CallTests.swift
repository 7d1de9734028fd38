import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem
import Synchronization
import TestThreads
import Testing

@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CallTests {
    /// Returns a connection to a service in this process, and the service.
    private func connect(
        serving own: Service = Service(), limits: ConnectionLimits = .init()
    ) throws -> (Connection, TestService) {
        let tests = TestService()
        let (client, _) = try Connection.pair(own, tests.service, limits: limits)
        return (client, tests)
    }

    @Test func aReplyCarriesWhatTheRequestDid() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let reply = try await client.call(Echo(Parcel(number: -7, words: "héllo", bytes: [1, 2, 3])))
        #expect(reply.number == -7)
        #expect(reply.words == "héllo")
        #expect(reply.bytes == [1, 2, 3])
    }

    @Test func descriptorsTravelInBothDirections() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let file = try MemoryFile.create(name: "test")
        let reply = try await client.call(Echo(Parcel(files: [file, file])))
        #expect(reply.files.count == 2)
        #expect(try reply.files.first?.status().identity == file.status().identity)
        #expect(reply.files.first?.rawValue != file.rawValue)
    }

    @Test(arguments: [60_000, 65_500, 65_510, 65_520, 65_530, 65_536, 70_000, 5_000_000])
    func aMessageOfAnySizeUpToTheLimitArrivesWhole(size: Int) async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let bytes = [UInt8](repeating: 0xA5, count: size - 1) + [7]
        let file = try MemoryFile.create(name: "test")
        let reply = try await client.call(Echo(Parcel(bytes: bytes, files: [file])))
        #expect(reply.bytes == bytes)
        #expect(try reply.files.first?.status().identity == file.status().identity)
    }

    @Test func aMessageBeyondTheLimitFailsBeforeItIsSent() async throws {
        let (client, _) = try connect(limits: ConnectionLimits(messageSize: 1000))
        defer { client.close() }
        let error = await #expect(throws: ConduitError.self) {
            try await client.call(Echo(Parcel(bytes: [UInt8](repeating: 0, count: 1001))))
        }
        guard case .oversized(let size, limit: 1000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(size > 1000)
        #expect(try await client.call(Echo(Parcel(number: 1))).number == 1)
    }

    @Test func aRequestBeyondTheOtherSidesLimitIsRefusedByIt() async throws {
        let (near, far) = try SequencedPacketSocket.pair()
        let server = try Connection(
            far, service: TestService().service, limits: ConnectionLimits(messageSize: 100_000))
        let client = try Connection(near)
        defer { server.close() }
        let error = await #expect(throws: ConduitError.self) {
            try await client.call(Echo(Parcel(bytes: [UInt8](repeating: 0, count: 200_000))))
        }
        #expect(error?.remote?.conduitCode == .oversized)
        #expect(try await client.call(Echo(Parcel(number: 1))).number == 1)
    }

    @Test func moreDescriptorsThanAMessageMayHaveFailTheCall() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let file = try MemoryFile.create(name: "test")
        let most = ConnectionLimits.descriptorsPerMessage
        let files = [FileDescriptor](repeating: file, count: most)
        #expect(try await client.call(Echo(Parcel(files: files))).files.count == most)
        // The large body takes a further descriptor of its own.
        let large = [UInt8](repeating: 1, count: 100_000)
        #expect(try await client.call(Echo(Parcel(bytes: large, files: files))).files.count == most)
        await #expect(throws: ConduitError.tooManyDescriptors(count: most + 1, limit: most)) {
            try await client.call(Echo(Parcel(files: files + [file])))
        }
    }

    @Test func aFailureCarriesDomainCodeAndWords() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let failure = RemoteError(domain: "Test", code: -5, message: "as asked", underlying: "by the caller")
        await #expect(throws: ConduitError.remote(failure)) { try await client.call(Fail(code: -5)) }
    }

    @Test func wordsOfAnyLengthCrossShortened() async throws {
        var service = Service()
        service.on(Wait.self) { _, exchange in
            let words = String(repeating: "水", count: 1_000_000)
            exchange.fail(domain: words, code: 1, message: words, underlying: words)
        }
        let (client, _) = try Connection.pair(Service(), service)
        defer { client.close() }
        let error = await #expect(throws: ConduitError.self) { try await client.call(Wait()) }
        let failure = try #require(error?.remote)
        for words in [failure.domain, failure.message, failure.underlying ?? ""] {
            #expect(words.utf8.count > 8000)
            #expect(words.allSatisfy { $0 == "水" })
        }
    }

    @Test func aCallThatIsReleasedFailsWithoutAReply() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let error = await #expect(throws: ConduitError.self) { try await client.call(Drop()) }
        #expect(error?.remote?.conduitCode == .unanswered)
    }

    @Test func aCallThatIsNotServedFails() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let error = await #expect(throws: ConduitError.self) { try await client.call(Unserved()) }
        #expect(error?.remote?.conduitCode == .unknownMethod)
        #expect(try await client.call(Echo(Parcel(number: 1))).number == 1)
    }

    @Test func oneServiceHasNoTwoCallsOfOneNumber() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // The child exits without printing the expected crash.
            for number in [SIGILL, SIGTRAP] { signal(number) { _ in _exit(7) } }
            close(STDERR_FILENO)
            var service = Service()
            service.on(Echo.self) { request, exchange in exchange.reply(request.parcel) }
            service.on(Echo.self) { request, exchange in exchange.reply(request.parcel) }
        }
    }

    @Test func aSecondAnswerIsIgnored() async throws {
        var service = Service()
        service.on(Echo.self) { request, exchange in
            exchange.reply(request.parcel)
            exchange.reply(Parcel(number: 99))
            exchange.fail(domain: "Test", code: 1, message: "")
            exchange.report(completed: 1, total: 1)
        }
        let (client, _) = try Connection.pair(Service(), service)
        defer { client.close() }
        let answer = Expectation<Result<Parcel, ConduitError>>()
        client.call(Echo(Parcel(number: 1))) { answer.fulfill($0) }
        #expect(try await answer.value().get().number == 1)
        #expect(try await client.call(Echo(Parcel(number: 2))).number == 2)
        #expect(answer.count == 1)
    }

    @Test func anAnswerThatCannotBeSentReachesTheCallerAsAnError() async throws {
        var service = Service()
        service.on(Echo.self) { request, exchange in
            exchange.reply(Parcel(bytes: [UInt8](repeating: 0, count: Int(request.parcel.number))))
        }
        let (client, _) = try Connection.pair(Service(), service, limits: ConnectionLimits(messageSize: 1000))
        defer { client.close() }
        let error = await #expect(throws: ConduitError.self) { try await client.call(Echo(Parcel(number: 2000))) }
        #expect(error?.remote?.conduitCode == .replyNotSent)
        #expect(try await client.call(Echo(Parcel(number: 10))).bytes.count == 10)
    }

    @Test func progressArrivesInOrderAndBeforeTheAnswer() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let steps = Mutex<[Int64]>([])
        let answer = Expectation<Int>()
        client.call(Count(to: 5000)) { completed, total in
            #expect(total == 5000)
            steps.withLock { $0.append(completed) }
        } completion: { _ in
            answer.fulfill(steps.withLock { $0.count })
        }
        let countAtAnswer = try await answer.value()
        let seen = steps.withLock { $0 }
        #expect(seen.count == countAtAnswer)
        #expect(!seen.isEmpty)
        #expect(seen == seen.sorted())
        #expect(Set(seen).count == seen.count)
    }

    @Test func aHandlerCanCallTheCallerBack() async throws {
        let (client, _) = try connect(serving: TestService().service)
        defer { client.close() }
        #expect(try await client.call(CallBack(number: 42)).number == 42)
    }

    @Test func aCompletionCanMakeTheNextCall() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let last = Expectation<Int64>()
        @Sendable func step(_ number: Int64) {
            client.call(Echo(Parcel(number: number))) { result in
                guard case .success(let parcel) = result, parcel.number < 10_000 else { return last.fulfill(number) }
                step(parcel.number + 1)
            }
        }
        step(0)
        #expect(try await last.value() == 10_000)
    }

    @Test func noticesArriveInOrderAmongTheCalls() async throws {
        let (client, tests) = try connect()
        defer { client.close() }
        for number in 0..<500 { try client.notify(Remark("\(number)")) }
        _ = try await client.call(Echo(Parcel()))
        #expect(tests.remarks == (0..<500).map { "\($0)" })
    }

    @Test func aThousandCallsAtOnceAreAllAnswered() async throws {
        let (client, _) = try connect()
        defer { client.close() }
        let answers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<1000 {
                group.addTask { try await client.call(Echo(Parcel(number: Int64(number)))).number }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(answers == Set(0..<1000))
    }

    @Test func callsBeyondTheLimitFailAtOnceAndOthersGoOn() async throws {
        let (client, tests) = try connect(limits: ConnectionLimits(callsInFlight: 10))
        defer { client.close() }
        let waits = (0..<10).map { _ in client.call(Wait()) { _ in } }
        await #expect(throws: ConduitError.tooManyCalls(limit: 10)) { try await client.call(Echo(Parcel())) }
        waits.first?.cancel()
        // The call is cancelled at the client, but the service still counts it.
        let error = await #expect(throws: ConduitError.self) { try await client.call(Echo(Parcel())) }
        #expect(error?.remote?.conduitCode == .tooManyCalls)
        tests.dropWaits()
        try await eventually { (try? await client.call(Echo(Parcel(number: 3))).number) == 3 }
    }
}

struct Unserved: Call {
    typealias Reply = Empty
    static let method: UInt64 = 12345

    init() {}
    init(from decoder: inout MessageDecoder) throws(MessageError) {}
    func encode(to encoder: inout MessageEncoder) {}
}
