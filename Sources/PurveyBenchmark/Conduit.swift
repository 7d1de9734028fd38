import Conduit
import Dispatch
import Foundation
import LinuxSystem

extension Section {
    /// Conduit: a call between two processes against the bare round trip of the socket under it, on one processor.
    static let conduit = Section(name: "conduit") { report in
        let line = try Child.output(of: .conduitCaller)
        let values = line.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard values.count == 3 else { throw UnexpectedOutput(text: line) }
        let bare = Figure.Peer(name: "bare socket", value: values[0])
        report.add(
            Figure(name: "call, 1 KiB reply", value: values[1], unit: .seconds, peer: bare, target: .ratioAtMost(2)))
        report.add(
            Figure(name: "call, awaited by another thread", value: values[2], unit: .seconds, peer: bare))
    }

    private struct UnexpectedOutput: Error, CustomStringConvertible {
        let text: String
        var description: String { "the measuring process printed '\(text)'" }
    }
}

extension ChildRole {
    /// Prints the medians in seconds of the bare round trip, of a call, and of a call that another thread waits for.
    static let conduitCaller = ChildRole(name: "conduit-caller") { _ in
        // The peers are started from this thread and stay on its processor.
        try Processor.pinThread(to: 0)
        let bare = try measureBareRoundTrip()
        let (chained, awaited) = try measureCalls()
        print(bare, chained, awaited)
    }

    /// Answers on descriptor 3: packets of 64 bytes with 1 KiB (`bare`), or calls (`calls`).
    static let conduitAnswerer = ChildRole(name: "conduit-answerer") { arguments in
        let socket = SequencedPacketSocket(FileDescriptor(owning: 3))
        if arguments.first == "bare" { return answerBare(socket.descriptor.rawValue) }
        var service = Service()
        let payload = [UInt8](repeating: 7, count: 1024)
        service.on(Fetch.self) { _, exchange in exchange.reply(Fetched(bytes: payload)) }
        let connection = try Connection(socket, service: service)
        let ended = DispatchSemaphore(value: 0)
        connection.onClose { _ in ended.signal() }
        ended.wait()
    }
}

private let rounds = 21
private let callsPerRound = 2000

/// The median time in seconds of a round trip of a packet of 64 bytes and one of 1 KiB, with nothing above the socket.
func measureBareRoundTrip() throws -> Double {
    let (near, far) = try SequencedPacketSocket.pair()
    let answerer = try startAnswerer("bare", on: far)
    defer {
        near.shutDown()
        waitpid(answerer, nil, 0)
    }
    let number = near.descriptor.rawValue
    _ = fcntl(number, F_SETFL, 0)
    var request = [UInt8](repeating: 1, count: 64)
    var reply = [UInt8](repeating: 0, count: 2048)
    return Measure.median(rounds: rounds) {
        for _ in 0..<callsPerRound {
            _ = send(number, &request, request.count, 0)
            _ = recv(number, &reply, reply.count, 0)
        }
    } / Double(callsPerRound)
}

private func answerBare(_ number: CInt) {
    _ = fcntl(number, F_SETFL, 0)
    var request = [UInt8](repeating: 0, count: 2048)
    var reply = [UInt8](repeating: 7, count: 1024)
    while recv(number, &request, request.count, 0) > 0 {
        _ = send(number, &reply, reply.count, CInt(MSG_NOSIGNAL))
    }
}

private func measureCalls() throws -> (chained: Double, awaited: Double) {
    let (near, far) = try SequencedPacketSocket.pair()
    let answerer = try startAnswerer("calls", on: far)
    let connection = try Connection(near)
    defer {
        connection.close()
        waitpid(answerer, nil, 0)
    }
    let done = DispatchSemaphore(value: 0)
    let chained = Measure.median(rounds: rounds) {
        callAgain(connection, times: callsPerRound, done)
        done.wait()
    }
    let awaited = Measure.median(rounds: rounds) {
        for _ in 0..<callsPerRound {
            connection.call(Fetch(name: "an item of an offer")) { _ in done.signal() }
            done.wait()
        }
    }
    return (chained / Double(callsPerRound), awaited / Double(callsPerRound))
}

/// Makes a call, and the next one from its completion.
private func callAgain(_ connection: Connection, times: Int, _ done: DispatchSemaphore) {
    guard times > 0 else {
        done.signal()
        return
    }
    connection.call(Fetch(name: "an item of an offer")) { result in
        if case .failure(let error) = result { return complain("\(error)") }
        callAgain(connection, times: times - 1, done)
    }
}

/// Starts this program as the answering side, with the socket as its descriptor 3.
private func startAnswerer(_ mode: String, on socket: SequencedPacketSocket) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Numbers above those in use, so that the two are never the same, which would leave close-on-exec set.
    let high = FileDescriptor(owning: try retrying { fcntl(socket.descriptor.rawValue, F_DUPFD_CLOEXEC, 100) })
    posix_spawn_file_actions_adddup2(&actions, high.rawValue, 3)
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let words = [program, "--child", ChildRole.conduitAnswerer.name, mode]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, &actions, nil, &arguments, environ)
    guard failure == 0 else { throw Errno(rawValue: failure) }
    return process
}

private struct Fetch: Call {
    typealias Reply = Fetched
    static let method: UInt64 = 1
    let name: String

    init(name: String) { self.name = name }
    init(from decoder: inout MessageDecoder) throws(MessageError) { name = try decoder.decode(forKey: 0) }
    func encode(to encoder: inout MessageEncoder) { encoder.encode(name, forKey: 0) }
}

private struct Fetched: Message {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(from decoder: inout MessageDecoder) throws(MessageError) {
        bytes = try decoder.decodeBytes(forKey: 0) { [UInt8]($0) }
    }
    func encode(to encoder: inout MessageEncoder) { bytes.withUnsafeBytes { encoder.encode(bytes: $0, forKey: 0) } }
}
