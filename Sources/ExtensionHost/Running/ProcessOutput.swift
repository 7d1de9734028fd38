import Glibc
import LinuxSystem
import Synchronization

/// The standard output and standard error of an extension's process: hands them on to the extension's log line by line, and keeps the
/// last lines.
final class ProcessOutput: Sendable {
    /// Bytes of a line.
    private static let longestLine = 16 << 10
    /// Bytes of the last lines.
    private static let limit = 4 << 10
    /// Lines of a report of a crash.
    private static let mostFrames = 256

    /// The descriptor that the program gets as its standard output and its standard error.
    let input: FileDescriptor
    private let output: FileDescriptor
    /// Takes lines. Called by the thread that drains.
    private let write: @Sendable ([String]) -> Void
    /// Beneath which the functions of a crash are looked up.
    private let programFolders: [String]

    private struct State {
        /// The beginning of a line that has not ended.
        var rest: [UInt8] = []
        var last: [String] = []
        /// The signal and the frames of a crash that is being reported.
        var report: (signal: String, frames: [String])?
    }

    private let state = Mutex(State())

    init(programFolders: [String], _ write: @escaping @Sendable ([String]) -> Void) throws(Errno) {
        self.programFolders = programFolders
        self.write = write
        (output, input) = try FileDescriptor.pipe()
        let number = output.rawValue
        try retrying { fcntl(number, F_SETFL, O_NONBLOCK) }
    }

    /// The most pieces that are taken at once: as much as a pipe holds. A program that writes without end is still
    /// watched.
    private static let mostPieces = 64

    /// Takes what is there, so that the program never waits for a reader. Waits for nothing but the log's file.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 0..<Self.mostPieces {
            let count = read(output.rawValue, &piece, piece.count)
            guard count > 0 else { return }
            write(state.withLock { take(piece[..<count], &$0) })
        }
    }

    /// Takes the end of what the program wrote, which has ended.
    func finish() {
        drain()
        write(
            state.withLock { state in
                let rest = take([UInt8(ascii: "\n")], &state)
                return rest + endReport(&state)
            })
    }

    private func take(_ bytes: some Sequence<UInt8>, _ state: inout State) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte != UInt8(ascii: "\n") { state.rest.append(byte) }
            guard byte == UInt8(ascii: "\n") || state.rest.count >= Self.longestLine else { continue }
            if !state.rest.isEmpty { lines += take(String(decoding: state.rest, as: UTF8.self), &state) }
            state.rest.removeAll(keepingCapacity: true)
        }
        return lines
    }

    private func take(_ line: String, _ state: inout State) -> [String] {
        if line.hasPrefix(CrashReport.begin), state.report == nil {
            state.report = (String(line.dropFirst(CrashReport.begin.count)), [])
            return []
        }
        if let report = state.report {
            if line == CrashReport.end || report.frames.count >= Self.mostFrames { return endReport(&state) }
            state.report?.frames.append(line)
            return []
        }
        // The language's own frames follow the message, and would stand in its place.
        if Self.isFrame(line) { return [line] }
        state.last.append(String(line.prefix(Self.limit)))
        if state.last.count > 5 { state.last.removeFirst() }
        return [line]
    }

    /// Whether a line is one of the list that the language prints of its own fatal errors.
    private static func isFrame(_ line: String) -> Bool {
        if line == "Current stack trace:" { return true }
        let words = line.split(separator: " ", maxSplits: 3)
        return words.count == 4 && Int(words[0]) != nil && words[2].hasPrefix("0x")
    }

    private func endReport(_ state: inout State) -> [String] {
        guard let report = state.report.take() else { return [] }
        return CrashReport.lines(signal: report.signal, frames: report.frames, folders: programFolders)
    }

    /// Readable when there is something to take.
    var descriptor: FileDescriptor { output }

    /// The last lines, at most five. A report of a crash is none of them.
    var lines: [String] {
        let (last, rest) = state.withLock { ($0.last, $0.rest) }
        let text = (last + [String(decoding: rest.suffix(Self.limit), as: UTF8.self)]).joined(separator: "\n")
        return text.split(whereSeparator: \.isNewline).suffix(5).map(String.init)
    }
}
