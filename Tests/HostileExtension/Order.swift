import Glibc

/// A test's command to the extension: a packet that contains the name of a socket, a seed, a number of packets, and
/// whether the connection is meant to stay open.
struct Order {
    private let line: Line
    private let seed: UInt64
    private let packets: Int
    private let isPatient: Bool

    /// Waits for the next command; `nil` at the end of the connection.
    static func next() -> Order? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // The host's sockets do not block.
            var request = pollfd(fd: Line.call.rawValue, events: CShort(POLLIN), revents: 0)
            poll(&request, 1, -1)
            let count = recv(Line.call.rawValue, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return nil }
            if let order = Order(String(decoding: buffer[..<count], as: UTF8.self)) { return order }
            answer("unknown order")
        }
    }

    private init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 4, let seed = UInt64(words[1]), let packets = Int(words[2]) else { return nil }
        switch words[0] {
        case "scopes": line = .scopes
        case "coordination": line = .coordination
        default: return nil
        }
        (self.seed, self.packets, isPatient) = (seed, packets, words[3] == "patiently")
    }

    func perform() throws { try line.attack(seed: seed, packets: packets, isPatient: isPatient) }

    static func answer(_ text: String) {
        let bytes = Array(text.utf8)
        _ = send(Line.call.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}
