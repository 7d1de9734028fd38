import Glibc
import LinuxSystem

/// A program of Purvey that was not found, with the searched places and a remedy.
package struct ProgramSearchError: Error, CustomStringConvertible {
    package let description: String
}

/// The search for a program of Purvey that another one starts.
package enum ProgramSearch {
    /// Returns the path of a program. It is the value of an environment variable. If that is not set, it is a file
    /// beside the running program or in `PATH`.
    package static func find(_ name: String, variable: String) throws(ProgramSearchError) -> String {
        if let named = getenv(variable).map({ String(cString: $0) }), !named.isEmpty {
            guard named.hasPrefix("/"), isProgram(named) else {
                throw ProgramSearchError(
                    description: "\(variable) is '\(named)', which is not the absolute path of a program")
            }
            return named
        }
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path).flatMap { path in
            path.lastSlash.map { String(path[..<$0]) }
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
        let candidates = ([own].compactMap(\.self) + folders).map { $0 + "/" + name }
        if let found = candidates.first(where: isProgram) { return found }
        let beside = own.map { " (\($0))" } ?? ""
        let searched = folders.isEmpty ? ", which has no folder" : " (\(folders.joined(separator: ", ")))"
        throw ProgramSearchError(
            description: "the program \(name) is neither beside this program\(beside) nor in PATH\(searched), and "
                + "\(variable), which can name it, is not set")
    }

    private static func isProgram(_ path: String) -> Bool {
        access(path, X_OK) == 0 && (try? FileStatus.of(path))?.kind == .regular
    }
}
