import CRuntimeSupport
import Foundation
import Glibc
import LinuxSystem

/// Runs an extension. The `main.swift` of its executable calls this function.
///
/// It reads the property list of the executable's bundle and finds the principal class. It serves requests over the
/// socket that the host has passed as descriptor 3, until the host closes the socket. It never returns: the process
/// ends with status 0. If the process is not an extension or was not started by a host, it ends with status 1 and a
/// line on standard error. If a user starts the executable with `--help` or `--version`, it prints its help or its
/// version.
///
/// Source: Foundation, the entry point of every extension's executable.
public func NSExtensionMain() -> Never {
    signal(SIGPIPE, SIG_IGN)
    // This check precedes the reading of the property list, because a user may start the executable outside of its
    // bundle.
    guard isStartedByHost else {
        exit(ExtensionManual.answer(Array(CommandLine.arguments.dropFirst()), executable: executablePath()))
    }
    // From now on, output is written line by line, and a crash is reported on standard error. The host stores both in
    // the extension's log.
    cswift_print_by_lines()
    cswift_report_crashes()
    do {
        let bundle = try ExtensionBundle(ofExecutable: executablePath())
        let executable = (bundle.executable as NSString).lastPathComponent
        let found: AnyClass = try PrincipalClass.find(bundle.principalClass, executable: executable)
        let serving = found as? any ServingPrincipal.Type
        let server = serving == nil ? PrincipalServers.server(of: found) : nil
        let principal =
            serving == nil && server == nil ? try PrincipalClass(found, named: bundle.principalClass) : nil
        let socket = FileDescriptor(owning: hostSocket)
        // The server lives as long as the process.
        if let serving {
            try serving.serve(socket, for: bundle) { exit(0) }
        } else if let server {
            try server.serve(found, socket, for: bundle) { exit(0) }
        } else if let principal {
            let runtime = ExtensionRuntime(principal)
            try runtime.serve(socket) { exit(0) }
            withExtendedLifetime(runtime) { serveMainQueue() }
        }
        serveMainQueue()
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}

/// The descriptor number of the host's socket.
private let hostSocket: CInt = 3

/// Whether a host has started this process, and so has passed a socket. The shell of a user may have passed a file as
/// the same descriptor, but not a socket.
private var isStartedByHost: Bool {
    var status = stat()
    return fstat(hostSocket, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
}

/// Serves the main queue on the first thread. Unlike `dispatchMain`, does not end this thread. Without its first
/// thread, `/proc` would show the process as a zombie, and the daemon could not identify its executable.
private func serveMainQueue() -> Never {
    // A run loop without a source returns at once.
    let source = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    RunLoop.main.add(source, forMode: .default)
    while true { RunLoop.main.run() }
}

private func executablePath() -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
}
