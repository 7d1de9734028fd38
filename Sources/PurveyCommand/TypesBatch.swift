import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// The command `purvey types --batch`: a line of JSON for each line of standard input.
///
/// All complete lines are answered before the program waits for more input, so that another program can use it line
/// by line.
struct TypesBatch: ~Copyable {
    private var output = StandardOutput()
    /// The JSON of the types that were printed so far. Most lines repeat an earlier type.
    private var known: [UTType: [UInt8]] = [:]
    private var lines = 0
    private var faults = 0
    private var firstFault: String?

    /// The maximum number of cached types. Lines may contain any number of made-up types.
    private static let mostKnown = 4096
    /// The maximum length of a line in bytes, which limits the memory use. Any path or tag is shorter.
    private static let longestLine = 1 << 20
    private static let readSize = 1 << 16

    private init() {}

    /// Answers until standard input ends.
    ///
    /// - Throws: ``CommandError`` at the end if lines were invalid. They were answered with `null`.
    static func run() throws {
        var batch = TypesBatch()
        try batch.answerAll()
        guard let fault = batch.firstFault else { return }
        throw CommandError(fault + (batch.faults > 1 ? " (and \(batch.faults - 1) more such lines)" : ""))
    }

    private mutating func answerAll() throws {
        var input: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.readSize)
        while true {
            let count = try chunk.withUnsafeMutableBytes { chunk throws(Errno) in
                try retrying { read(STDIN_FILENO, chunk.baseAddress, chunk.count) }
            }
            if count == 0 { break }
            input += chunk[..<count]
            let rest = try input.withUnsafeBytes { input in
                var start = 0
                while let end = input[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    try answer(UnsafeRawBufferPointer(rebasing: input[start..<end]))
                    start = end + 1
                }
                return start
            }
            input.removeFirst(rest)
            guard input.count <= Self.longestLine else {
                try output.flush()
                throw CommandError("line \(lines + 1) is longer than \(Self.longestLine) bytes")
            }
            try output.flush()
        }
        if !input.isEmpty { try input.withUnsafeBytes { try answer($0) } }
        try output.flush()
    }

    private mutating func answer(_ line: UnsafeRawBufferPointer) throws {
        lines += 1
        guard let question = question(line) else {
            try output.append { TypesJSON.append(nil, to: &$0) }
            return
        }
        // A missing or unreadable file has no type.
        guard let type = try? question.answer() else {
            try output.append { TypesJSON.append(nil, to: &$0) }
            return
        }
        if let json = known[type] {
            try output.write(json)
            return
        }
        var json: [UInt8] = []
        TypesJSON.append(type, to: &json)
        try output.write(json)
        if known.count < Self.mostKnown { known[type] = json }
    }

    private mutating func question(_ line: UnsafeRawBufferPointer) -> TypesQuestion? {
        guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else {
            fault("there is no tab in it")
            return nil
        }
        let word = String(decoding: line[..<tab], as: UTF8.self)
        guard let kind = TypesQuestion.Kind(rawValue: word) else {
            let kinds = TypesQuestion.Kind.allCases.map(\.rawValue)
            fault(SpellingSuggestion.sentence("there is no kind '\(word)'", about: word, known: kinds, listing: true))
            return nil
        }
        return TypesQuestion(kind: kind, value: String(decoding: line[(tab + 1)...], as: UTF8.self))
    }

    private mutating func fault(_ reason: @autoclosure () -> String) {
        faults += 1
        if firstFault == nil { firstFault = "line \(lines): \(reason())" }
    }
}
