/// The head of a response as it comes.
struct ResponseHead {
    /// The number of bytes of all heads so far, including those of interim responses.
    var count = 0
    var status = 0
    var headers = HTTPHeaders()
    var isComplete = false

    /// Takes a line. A status line begins a new head: after an interim response, or a request for credentials.
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
