import LinuxSystem

/// Delivers a response's body to its destination: selects the requested part, and counts the bytes.
struct BodyDelivery {
    enum Step {
        case goOn
        /// The destination is full. The same bytes must be offered again.
        case pause
        /// The destination has all requested bytes, and the rest of the response is not needed.
        case cut
        case fail(HTTPError)
    }

    /// The bytes for ``HTTPResponse/body``.
    private(set) var collected: [UInt8] = []
    /// The number of bytes that the destination has received, or receives with ``flush()``, including the bytes of
    /// earlier attempts.
    private(set) var delivered: Int

    private let origin: HTTPOrigin
    private let destination: TransferDestination
    /// The file that receives the body; `nil` if the destination is not a file.
    private let file: BodyFile?
    /// Whether the destination receives no bytes because the status is not 2xx.
    private let isRefused: Bool
    /// The range of the file that is still missing; `end` is `nil` for the file's end.
    private let wanted: (start: Int, end: Int?)
    /// The offset in the file of the next byte to arrive.
    private var position: Int
    /// The offset in the file after the last expected byte, if the server announced it.
    private var announcedEnd: Int?
    /// The size of the whole file, if the server sends the whole file and announced its size.
    private let wholeCount: Int?

    /// If the status of a response is not 2xx, at most this many bytes of the body are stored.
    private static let refusalLimit = 64 << 10

    /// Begins the delivery, after the head of the response is complete.
    init(_ plan: TransferPlan, status: Int, headers: HTTPHeaders) throws(HTTPError) {
        let request = plan.request
        origin = request.address.origin
        destination = plan.destination
        isRefused = !(200..<300 ~= status)
        let done = isRefused ? 0 : plan.resumption?.count ?? 0
        delivered = done
        wanted = ((request.range?.start ?? 0) + done, request.range?.end)
        let isPart = request.range != nil || plan.resumption != nil
        position = 0
        if case .plain(.file(let file, let offset)) = plan.destination {
            self.file = BodyFile(file, offset: offset + done)
        } else {
            file = nil
        }
        wholeCount = headers["Content-Length"].flatMap { Int($0) }
        guard !isRefused else { return }
        if let tag = plan.resumption?.entityTag, headers["ETag"] != tag { throw .changed(origin) }
        guard isPart else {
            if status == 206 { throw .invalidReply(origin, "it is a part of the file, but the whole was requested") }
            return
        }
        guard let value = headers["Content-Range"] else {
            if status == 206 { throw .invalidReply(origin, "it is a part of the file, but does not name the range") }
            return
        }
        guard let range = HTTPContentRange(value), range.bytes.lowerBound <= wanted.start else {
            throw .invalidReply(origin, "it has another part of the file than the requested one")
        }
        position = range.bytes.lowerBound
        announcedEnd = range.bytes.upperBound
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        if isRefused {
            collected += bytes.prefix(Self.refusalLimit - collected.count)
            return collected.count < Self.refusalLimit ? .goOn : .cut
        }
        if let announcedEnd, position + bytes.count > announcedEnd {
            return .fail(.invalidReply(origin, "it has more bytes than it announced"))
        }
        let (first, last) = (max(position, wanted.start), min(position + bytes.count, wanted.end ?? .max))
        if first < last {
            let part = UnsafeRawBufferPointer(rebasing: bytes[(first - position)..<(last - position)])
            switch deliver(part) {
            case .goOn: delivered += part.count
            case let step: return step
            }
        }
        position += bytes.count
        guard let end = wanted.end, position >= end else { return .goOn }
        // If these bytes are also the last bytes of the response, the transfer is not cut, so that libcurl can reuse
        // the connection.
        return position == announcedEnd ?? wholeCount ? .goOn : .cut
    }

    private mutating func deliver(_ part: UnsafeRawBufferPointer) -> Step {
        switch destination {
        case .stream(let buffer): return buffer.offer(part) ? .goOn : .pause
        case .plain(.nowhere): return .goOn
        case .plain(.memory(let limit)):
            guard part.count <= limit - collected.count else { return .fail(.bodyTooLong(origin, limit: limit)) }
            collected += part
            return .goOn
        case .plain(.file):
            do {
                try file?.add(part)
                return .goOn
            } catch {
                return .fail(.file(error))
            }
        }
    }

    /// Writes the gathered bytes to the destination. The caller must call this function at the end of the transfer.
    ///
    /// - Returns: the failure, or `nil` after a success. After a failure, ``delivered`` does not count these bytes.
    mutating func flush() -> HTTPError? {
        guard let file else { return nil }
        do {
            try file.flush()
            return nil
        } catch {
            delivered -= file.pending
            return .file(error)
        }
    }

    /// Returns the failure if the body is shorter than the server announced; `nil` otherwise.
    func failureAtEnd() -> HTTPError? {
        guard let announcedEnd, position < min(announcedEnd, wanted.end ?? .max) else { return nil }
        return .truncated(origin, received: delivered, announced: announcedEnd - wanted.start)
    }
}

/// The head of a response, which may be incomplete.
struct ResponseHead {
    /// The number of bytes of all heads so far, including those of interim responses.
    var count = 0
    var status = 0
    var headers = HTTPHeaders()
    var isComplete = false

    /// Adds a line. A status line begins a new head, which follows an interim response or a request for credentials.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>) {
        if line.starts(with: "HTTP/".utf8) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            let code = words.count > 1 ? words[1].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } : []
            status = Int(String(decoding: code, as: UTF8.self)) ?? 0
            headers = HTTPHeaders()
            isComplete = false
        } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isComplete = status >= 200
        } else if let field = HTTPHeaders.Field(line: line) {
            headers.add(field.name, field.value)
        }
    }
}
