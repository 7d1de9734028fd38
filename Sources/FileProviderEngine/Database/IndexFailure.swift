import CSQLite
import LinuxSystem

/// Why the index or the journal could not be read or written.
package enum IndexFailure: Error, Sendable, Equatable {
    /// The file is none of ours, or damaged. An index is then deleted and built anew; a journal salvages what it can.
    case corrupt(String)
    /// No space is left. What was to be written was not, nothing else is lost, and the same can be tried again later.
    case full
    /// Anything else, in a sentence.
    case system(String)
}

extension IndexFailure {
    /// What SQLite's answer means.
    ///
    /// - Parameter connection: the one that answered; it knows more words, and what the system said.
    init(_ code: CInt, _ connection: OpaquePointer?) {
        let words = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let systemError = connection.map { Errno(rawValue: sqlite3_system_errno($0)) }
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self = .corrupt(words)
        case SQLITE_FULL:
            self = .full
        case SQLITE_IOERR where systemError == .noSpace || systemError == .quotaExceeded:
            self = .full
        case SQLITE_IOERR where code == Self.shortRead || code == Self.corruptFileSystem:
            self = .corrupt(words)
        default:
            self = .system("\(words) (\(code)\(systemError.map { $0.rawValue == 0 ? "" : ", \($0)" } ?? ""))")
        }
    }

    /// What a system call's failure means where one is made beside SQLite's.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .quotaExceeded: self = .full
        default: self = .system(error.description)
        }
    }

    // SQLite's header makes these of others, which is not imported.
    private static let shortRead = SQLITE_IOERR | (2 << 8)
    private static let corruptFileSystem = SQLITE_IOERR | (33 << 8)
}
