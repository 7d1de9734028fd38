import CSQLite
import LinuxSystem

/// The reason why the index or the journal could not be read or written.
package enum IndexError: Error, Sendable, Equatable {
    /// The file was not written by this program, or is damaged. A damaged index is deleted and rebuilt. Of a damaged
    /// journal, the readable entries are copied to a new one.
    case corrupt(String)
    /// The disk is full. The write had no effect and can be retried later.
    case full
    /// Any other failure, described in a sentence.
    case system(String)
}

extension IndexError {
    /// Creates the error for a result code of SQLite.
    ///
    /// - Parameter connection: The connection that returned the code. The message and the system's error number are
    ///   read from it.
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

    /// Creates the error for a failed system call that SQLite did not make.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .quotaExceeded: self = .full
        default: self = .system(error.description)
        }
    }

    // SQLite's header defines these by macros that Swift does not import.
    private static let shortRead = SQLITE_IOERR | (2 << 8)
    private static let corruptFileSystem = SQLITE_IOERR | (33 << 8)
}
