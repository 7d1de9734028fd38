import Conduit
import Glibc
import LinuxSystem

/// How an extension's process came to its end.
package struct ExtensionEnding: Message, Equatable {
    /// What ended it.
    package enum Reason: Int, MessageValue, Sendable {
        /// It ended by itself; the status is its exit status.
        case exited = 0
        /// A signal ended it; the status is its number.
        case signalled = 1
        /// It was ended because it took too long; the status is the limit in seconds.
        case timedOut = 2
        /// It was ended because its caller had gone or had enough.
        case released = 3
        /// It was ended because it took too much memory; the status is the limit in mebibytes.
        case tookTooMuchMemory = 4
        /// It was ended because it had too many threads; the status is the limit.
        case tookTooManyThreads = 5
        /// It was ended because its container took too much room; the status is the limit in mebibytes.
        case tookTooMuchRoom = 6
        /// It was ended because its container had too many files; the status is the limit.
        case madeTooManyFiles = 7
    }

    package let reason: Reason
    package let status: Int
    /// The last lines that it wrote to its standard error.
    package let lastLines: [String]

    package init(_ reason: Reason, status: Int, lastLines: [String]) {
        self.reason = reason
        self.status = status
        self.lastLines = lastLines
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        reason = try decoder.decode(forKey: 0)
        status = try decoder.decode(forKey: 1)
        lastLines = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(reason, forKey: 0)
        encoder.encode(status, forKey: 1)
        encoder.encode(lastLines, forKey: 2)
    }

    /// In one sentence, with what it said last.
    package var sentence: String {
        lastLines.isEmpty ? kind : kind + "; it said last: " + lastLines.joined(separator: " / ")
    }

    /// In one sentence.
    var kind: String {
        switch reason {
        case .exited where status == 0: "the extension ended without an answer"
        case .exited: "the extension ended with exit status \(status)"
        case .signalled: "the extension crashed: signal \(status) (\(String(cString: strsignal(CInt(status)))))"
        case .timedOut:
            "the extension was ended: it did not answer within \(status) second\(status == 1 ? "" : "s")"
        case .tookTooMuchMemory: "the extension was ended: it took more than its limit of \(status) MiB of memory"
        case .tookTooManyThreads: "the extension was ended: it had more than its limit of \(status) threads"
        case .tookTooMuchRoom: "the extension was ended: its container took more than its limit of \(status) MiB"
        case .madeTooManyFiles: "the extension was ended: its container had more than its limit of \(status) files"
        case .released: "the extension was ended because nobody waited for it any more"
        }
    }
}
