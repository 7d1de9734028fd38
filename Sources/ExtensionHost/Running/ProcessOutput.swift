import Glibc
import LinuxSystem
import Synchronization

/// The standard output and standard error of an extension's process. Each line is written to the extension's log. The
/// last lines are also retained, for ``ExtensionEnding``.
final class ProcessOutput: Sendable {
    /// The maximum length of a line in bytes. Longer lines are split.
    private static let longestLine = 16 << 10
    /// The maximum length, in characters, of each line in `last`.
    private static let limit = 4 << 10
    /// The maximum number of stack frames in a crash report.
    private static let mostFrames = 256

    /// The writing end of the pipe, which is the program's standard output and standard error.
    let input: FileDescriptor
    private let output: FileDescriptor
    /// A closure that writes lines to the log. Called on the thread that calls ``drain()`` or ``finish()``.
    private let write: @Sendable ([String]) -> Void
    /// The directories beneath which program files may be read to find the names of functions in a crash report.
    private let programFolders: [String]

    private struct State {
        /// The bytes of a line whose end has not been read yet.
        var rest: [UInt8] = []
        var last: [String] = []
        /// The signal and the frames of a crash report whose end has not been read yet.
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

    /// The maximum number of reads in one call of ``drain()``. It corresponds to 1 MiB, as much as a pipe can hold
    /// (`pipe-max-size`, pipe(7)). Without a maximum, a program that writes without pause could keep the caller from
    /// checking the program's limits.
    private static let mostPieces = 64

    /// Reads the output that is in the pipe, so that the program does not block. This function blocks only on writing
    /// the log.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 0..<Self.mostPieces {
            let count = read(output.rawValue, &piece, piece.count)
            guard count > 0 else { return }
            write(state.withLock { take(piece[..<count], &$0) })
        }
    }

    /// Reads the rest of the output after the program's end. Also logs an unfinished line or crash report.
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
        // After the message of a fatal error, Swift prints frames. They would displace the message from the last lines.
        if Self.isFrame(line) { return [line] }
        state.last.append(String(line.prefix(Self.limit)))
        if state.last.count > 5 { state.last.removeFirst() }
        return [line]
    }

    /// Whether a line belongs to the stack trace that Swift prints after a fatal error.
    private static func isFrame(_ line: String) -> Bool {
        if line == "Current stack trace:" { return true }
        let words = line.split(separator: " ", maxSplits: 3)
        return words.count == 4 && Int(words[0]) != nil && words[2].hasPrefix("0x")
    }

    private func endReport(_ state: inout State) -> [String] {
        guard let report = state.report.take() else { return [] }
        return CrashReport.lines(signal: report.signal, frames: report.frames, folders: programFolders)
    }

    /// The reading end of the pipe. It is readable when the program has written output.
    var descriptor: FileDescriptor { output }

    /// The last lines of output, at most five, without crash reports and stack traces.
    var lines: [String] {
        let (last, rest) = state.withLock { ($0.last, $0.rest) }
        let text = (last + [String(decoding: rest.suffix(Self.limit), as: UTF8.self)]).joined(separator: "\n")
        return text.split(whereSeparator: \.isNewline).suffix(5).map(String.init)
    }
}
