import CRuntimeSupport
import Conduit
import Foundation
import LinuxSystem

/// The crash report of an extension's process: the signal, and the stack frames of the crashed thread, the innermost
/// first.
struct CrashReport {
    static let begin = CSWIFT_CRASH_BEGIN
    static let end = CSWIFT_CRASH_END

    /// Converts the frames of a crash report into lines for the log. Each frame is described by the name of its
    /// function and the file of the program or library.
    ///
    /// - Parameter folders: The directories beneath which program files may be read. Other files are not read, because
    ///   the process itself wrote the frames, and may have named any file.
    static func lines(signal: String, frames: [String], folders: [String]) -> [String] {
        let number = CInt(signal) ?? 0
        let name = strsignal(number).map { " (\(String(cString: $0)))" } ?? ""
        var tables: [String: SymbolTable] = [:]
        var lines = ["crashed: signal \(number)\(name)"]
        for (number, frame) in frames.enumerated() {
            lines.append("  \(number)  " + describe(frame, isInnermost: number == 0, folders, &tables))
        }
        return lines
    }

    private static func describe(
        _ frame: String, isInnermost: Bool, _ folders: [String], _ tables: inout [String: SymbolTable]
    ) -> String {
        // The format is PROGRAM(FUNCTION+0xOFFSET)[0xADDRESS].
        guard let close = frame.lastIndex(of: ")"), let open = frame[..<close].lastIndex(of: "("),
            let plus = frame[open..<close].lastIndex(of: "+")
        else { return frame }
        let program = String(frame[..<open])
        let file = (program as NSString).lastPathComponent
        let function = frame[frame.index(after: open)..<plus]
        if !function.isEmpty { return "\(readable(String(function))) in \(file)" }
        guard let offset = UInt64(frame[frame.index(after: plus)..<close].dropFirst(2), radix: 16) else { return frame }
        // A path with `..` may lead to a file system that never replies.
        let isWithin = folders.contains { program.hasPrefix($0 + "/") } && !program.contains("/..")
        if tables[program] == nil, tables.count < 32, isWithin { tables[program] = SymbolTable(path: program) }
        // Except for the innermost frame, the address is a return address, which may be the start of the next function.
        let place = isInnermost || offset == 0 ? offset : offset - 1
        guard let name = tables[program]?.name(at: place) else { return frame }
        return "\(readable(name)) in \(file)"
    }

    /// The maximum size in bytes of a function's name. Names that compilers generate are almost always shorter.
    private static let longestName = 512 << 10

    private static func readable(_ name: String) -> String {
        MangledName.readable(name, atMost: longestName) ?? name
    }
}
