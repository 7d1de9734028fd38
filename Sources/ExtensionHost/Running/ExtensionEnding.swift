import Conduit
import Glibc
import LinuxSystem

/// The way in which an extension's process ended.
package struct ExtensionEnding: SchemaMessage, Equatable {
    /// The reason for the process's end, which determines the meaning of the status.
    package enum Reason: Int, MessageValue, Sendable {
        /// The process exited by itself. The status is its exit status, or -1 if that is unknown.
        case exited = 0
        /// A signal killed the process. The status is the signal's number.
        case signalled = 1
        /// The host killed the process when the time limit was reached. The status is the limit in seconds.
        case timedOut = 2
        /// The host killed the process because the process's caller had ended, or did not need the process any more.
        /// The status is 0.
        case released = 3
        /// The host killed the process because it used too much memory. The status is the limit in mebibytes.
        case tookTooMuchMemory = 4
        /// The host killed the process because it had too many threads. The status is the maximum number.
        case tookTooManyThreads = 5
        /// The host killed the process because the files in its directories took too much space. The status is the
        /// limit in mebibytes.
        case tookTooMuchRoom = 6
        /// The host killed the process because its directories had too many files. The status is the maximum number.
        case madeTooManyFiles = 7
    }

    package let reason: Reason
    package let status: Int
    /// The last lines, at most five, that the process wrote to its standard output and standard error.
    package let lastLines: [String]

    package init(_ reason: Reason, status: Int, lastLines: [String]) {
        self.reason = reason
        self.status = status
        self.lastLines = lastLines
    }

    package static let schema = Schema(Self.init, Field(0, \.reason), Field(1, \.status), Field(2, \.lastLines))

    /// A description of the ending in one sentence, with the last lines of output.
    package var sentence: String {
        lastLines.isEmpty ? kind : kind + "; it said last: " + lastLines.joined(separator: " / ")
    }

    /// A description of the ending in one sentence, without the output.
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
        case .released: "the extension was ended because no client waited for it any more"
        }
    }
}
