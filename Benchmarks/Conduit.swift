import Conduit
import Dispatch
import Foundation
import LinuxSystem

extension Section {
    /// Conduit: a call between two processes, compared with the bare round trip of the underlying socket, on one
    /// processor.
    static let conduit = Section(name: "conduit") { report in
        let line = try BenchmarkChild.output(of: .conduitCaller)
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
        let bare = try BareRoundTrip()
        let calls = try CallRoundTrip()
        var times: (bare: [Double], chained: [Double], awaited: [Double]) = ([], [], [])
        // Short rounds alternate, so that other load affects all alike.
        for round in 0..<101 {
            let time = (bare.seconds(trips: 500), calls.chainedSeconds(trips: 500), calls.awaitedSeconds(trips: 500))
            if round == 0 { continue }
            times.bare.append(time.0)
            times.chained.append(time.1)
            times.awaited.append(time.2)
        }
        print(Measure.median(times.bare), Measure.median(times.chained), Measure.median(times.awaited))
    }

    /// Replies on descriptor 3: to packets of 64 bytes with 1 KiB (`bare`), or to calls (`calls`).
    static let conduitAnswerer = ChildRole(name: "conduit-answerer") { arguments in
        let socket = SequencedPacketSocket(FileDescriptor(owning: 3))
        if arguments.first == "bare" { return BareRoundTrip.answer(socket.descriptor.rawValue) }
        var service = Service()
        let payload = [UInt8](repeating: 7, count: 1024)
        service.on(Fetch.self) { _, exchange in exchange.reply(Fetched(bytes: payload)) }
        let connection = try Connection(socket, service: service)
        let ended = DispatchSemaphore(value: 0)
        connection.onClose { _ in ended.signal() }
        ended.wait()
    }
}

/// Round trips with another process on a bare socket: packets of 64 bytes, with replies of 1 KiB.
final class BareRoundTrip {
    private let socket: SequencedPacketSocket
    private let answerer: ChildProgram
    private var request = [UInt8](repeating: 1, count: 64)
    private var reply = [UInt8](repeating: 0, count: 2048)

    /// Starts the other process, on the processor of this thread.
    init() throws {
        (socket, answerer) = try startAnswerer("bare")
        _ = fcntl(socket.descriptor.rawValue, F_SETFL, 0)
    }

    deinit {
        socket.shutDown()
        _ = try? answerer.wait()
    }

    /// Returns the time of a round trip in seconds.
    func seconds(trips: Int) -> Double {
        let number = socket.descriptor.rawValue
        let all = Measure.seconds {
            for _ in 0..<trips {
                _ = send(number, &request, request.count, 0)
                _ = recv(number, &reply, reply.count, 0)
            }
        }
        return all / Double(trips)
    }

    /// Replies to the packets, in the other process.
    static func answer(_ number: CInt) {
        _ = fcntl(number, F_SETFL, 0)
        var request = [UInt8](repeating: 0, count: 2048)
        var reply = [UInt8](repeating: 7, count: 1024)
        while recv(number, &request, request.count, 0) > 0 {
            _ = send(number, &reply, reply.count, CInt(MSG_NOSIGNAL))
        }
    }
}

/// Calls to another process with replies of 1 KiB.
private final class CallRoundTrip {
    private let connection: Connection
    private let answerer: ChildProgram
    private let done = DispatchSemaphore(value: 0)

    init() throws {
        let socket: SequencedPacketSocket
        (socket, answerer) = try startAnswerer("calls")
        connection = try Connection(socket)
    }

    deinit {
        connection.close()
        _ = try? answerer.wait()
    }

    /// Returns the duration of a call in seconds, if each call is made from the completion handler of the previous one.
    func chainedSeconds(trips: Int) -> Double {
        let all = Measure.seconds {
            Self.callAgain(connection, times: trips, done)
            done.wait()
        }
        return all / Double(trips)
    }

    /// Returns the duration of a call in seconds, if a thread makes the call and waits for its completion handler.
    func awaitedSeconds(trips: Int) -> Double {
        let all = Measure.seconds {
            for _ in 0..<trips {
                connection.call(Fetch(name: "an item of an offer")) { [done] result in
                    if case .failure(let error) = result { giveUp(error) }
                    done.signal()
                }
                done.wait()
            }
        }
        return all / Double(trips)
    }

    private static func callAgain(_ connection: Connection, times: Int, _ done: DispatchSemaphore) {
        guard times > 0 else {
            done.signal()
            return
        }
        connection.call(Fetch(name: "an item of an offer")) { result in
            if case .failure(let error) = result { giveUp(error) }
            callAgain(connection, times: times - 1, done)
        }
    }
}

private func giveUp(_ error: ConduitError) -> Never {
    complain("a call failed: \(error)")
    exit(1)
}

/// Starts this program as the replying side, with the other end of the socket as its descriptor 3.
private func startAnswerer(_ mode: String) throws -> (SequencedPacketSocket, ChildProgram) {
    let (near, far) = try SequencedPacketSocket.pair()
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let errors = try FileDescriptor.copy(of: STDERR_FILENO)
    let child = try ChildProgram.start(
        program, arguments: ["--child", ChildRole.conduitAnswerer.name, mode],
        descriptors: [nil, errors, errors, far.descriptor])
    return (near, child)
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
