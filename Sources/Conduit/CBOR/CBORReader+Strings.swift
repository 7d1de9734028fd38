import LinuxSystem

extension CBORReader {
    /// Reads a definite-length byte string without copying it. The result is valid as long as the reader's input.
    ///
    /// For a byte string in chunks, which is not contiguous, the function throws `unexpectedType`. `readBytes()` reads
    /// both kinds.
    package mutating func readBytesInPlace() throws(CBORError) -> UnsafeRawBufferPointer {
        let start = offset
        let head = try readHead()
        guard head.type == .bytes, !head.isIndefinite else { throw CBORError(.unexpectedType, at: start) }
        return try take(head.argument, startedAt: start)
    }

    /// Reads a byte string, in one piece or in chunks.
    package mutating func readBytes() throws(CBORError) -> [UInt8] {
        let start = offset
        let head = try readHead()
        guard head.type == .bytes else { throw CBORError(.unexpectedType, at: start) }
        guard head.isIndefinite else { return [UInt8](try take(head.argument, startedAt: start)) }
        var all: [UInt8] = []
        while let chunk = try readChunk(of: .bytes) { all.append(contentsOf: chunk) }
        return all
    }

    /// Reads text, in one piece or in chunks. Each chunk must be valid UTF-8 by itself (RFC 8949 §3.2.3).
    package mutating func readText() throws(CBORError) -> String {
        let start = offset
        let head = try readHead()
        guard head.type == .text else { throw CBORError(.unexpectedType, at: start) }
        guard head.isIndefinite else { return try text(take(head.argument, startedAt: start), startedAt: start) }
        var all = ""
        while true {
            let chunkStart = offset
            guard let chunk = try readChunk(of: .text) else { return all }
            all += try text(chunk, startedAt: chunkStart)
        }
    }

    /// Reads the next chunk of an indefinite-length string. Returns `nil` at the break that ends the string.
    mutating func readChunk(of type: CBORMajorType) throws(CBORError) -> UnsafeRawBufferPointer? {
        let start = offset
        let head = try readHead()
        if head.isBreak { return nil }
        guard head.type == type, !head.isIndefinite else { throw CBORError(.invalidChunk, at: start) }
        return try take(head.argument, startedAt: start)
    }

    private func text(_ bytes: UnsafeRawBufferPointer, startedAt start: Int) throws(CBORError) -> String {
        let text = bytes.withMemoryRebound(to: UInt8.self) { String(utf8: $0) }
        guard let text else { throw CBORError(.invalidText, at: start) }
        return text
    }
}
