import Conduit

/// Asks the daemon for the source location of another client's claim, because of which a claim of the caller was
/// refused.
struct FindCallSiteCall: Call {
    static var method: UInt64 { 104 }

    let client: UInt64
    let claim: UInt64

    init(client: UInt64, claim: UInt64) {
        self.client = client
        self.claim = claim
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        client = try decoder.decode(forKey: 0)
        claim = try decoder.decode(forKey: 1)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(client, forKey: 0)
        encoder.encode(claim, forKey: 1)
    }

    struct Reply: Message {
        /// The source location that the process replied with, if any.
        let place: String?
        /// The process ID and the program's name according to the kernel; `nil` if the process has ended.
        let process: Int?
        let program: String?

        init(place: String?, process: Int?, program: String?) {
            self.place = place
            self.process = process
            self.program = program
        }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            place = try decoder.decodeIfPresent(forKey: 0)
            process = try decoder.decodeIfPresent(forKey: 1)
            program = try decoder.decodeIfPresent(forKey: 2)
        }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encodeIfPresent(place, forKey: 0)
            encoder.encodeIfPresent(process, forKey: 1)
            encoder.encodeIfPresent(program, forKey: 2)
        }

        var words: String? {
            guard let process else { return place }
            let program = "\(program ?? "a program") (process \(process))"
            return place.map { "\($0) in \(program)" } ?? "a place in \(program) that it has not named"
        }
    }
}

/// Asks a process for the source location of one of its claims. Sent by the daemon.
struct CallSiteCall: Call {
    static var method: UInt64 { 105 }

    let claim: UInt64

    init(claim: UInt64) { self.claim = claim }
    init(from decoder: inout MessageDecoder) throws(MessageError) { claim = try decoder.decode(forKey: 0) }
    func encode(to encoder: inout MessageEncoder) { encoder.encode(claim, forKey: 0) }

    struct Reply: Message {
        /// The maximum length in bytes, as function names can be long.
        private static let limit = 1_000
        let place: String?

        init(place: String?) { self.place = place.map { String(decoding: $0.utf8.prefix(Self.limit), as: UTF8.self) } }
        init(from decoder: inout MessageDecoder) throws(MessageError) {
            self.init(place: try decoder.decodeIfPresent(forKey: 0))
        }
        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(place, forKey: 0) }
    }
}
