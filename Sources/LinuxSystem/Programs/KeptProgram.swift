import Glibc

/// A program that is to run again when it dies: what its keeper is told of it.
///
/// The program has one end of a socket and the keeper the other. The program says first how it is started, and before it ends that it
/// does. A socket that closes without a farewell is that of a program that was killed or has crashed.
package struct KeptProgram: Sendable, Equatable {
    package let path: String
    package let arguments: [String]
    /// What the program works on: without that folder there is nothing to start it for.
    package let folder: String
    /// How often it died so far, each time soon after it was started.
    package let deaths: Int

    package init(path: String, arguments: [String], folder: String, deaths: Int) {
        self.path = path
        self.arguments = arguments
        self.folder = folder
        self.deaths = deaths
    }

    /// Says to the keeper how the program is started.
    package func introduce(over line: SequencedPacketSocket) throws(Errno) {
        let words = [folder, "\(deaths)", path] + arguments
        let bytes = Array((words.joined(separator: "\0") + "\0").utf8)
        guard bytes.count <= Self.sizeLimit else { throw .messageTooLong }
        try bytes.withUnsafeBufferPointer { bytes throws(Errno) in try line.send(UnsafeRawBufferPointer(bytes)) }
    }

    /// Says to the keeper that the program ends, and is not to run again.
    package static func sayFarewell(over line: SequencedPacketSocket) throws(Errno) {
        try withUnsafeBytes(of: UInt8(0)) { bytes throws(Errno) in try line.send(bytes) }
    }

    private static let sizeLimit = 64 << 10

    /// What a program has said.
    package enum Message: Sendable, Equatable {
        case introduction(KeptProgram)
        case farewell
        /// It is not there any more.
        case nothing
    }

    /// Blocks until a program says something, or has gone.
    package static func next(from line: SequencedPacketSocket) throws(Errno) -> Message {
        var buffer = [UInt8](repeating: 0, count: sizeLimit)
        var waited = pollfd(fd: line.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        while true {
            try retrying { poll(&waited, 1, -1) }
            do throws(Errno) {
                let count = try buffer.withUnsafeMutableBufferPointer { bytes throws(Errno) in
                    try line.receive(into: UnsafeMutableRawBufferPointer(bytes)).byteCount
                }
                if count == 0 { return .nothing }
                let words = buffer[..<count].split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                    String(decoding: $0, as: UTF8.self)
                }
                guard words.count >= 3, let deaths = Int(words[1]) else { return .farewell }
                return .introduction(
                    KeptProgram(path: words[2], arguments: Array(words[3...]), folder: words[0], deaths: deaths))
            } catch .wouldBlock {
                continue
            } catch .connectionReset {
                return .nothing
            }
        }
    }
}
