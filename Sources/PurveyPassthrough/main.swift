import Glibc
import LinuxSystem

// Tells the kernel of backing files for mounts of users who may not do it themselves. Runs as root:
//
//     purvey-passthrough [SOCKET]
StandardDescriptors.fillMissing()
signal(SIGPIPE, SIG_IGN)

func complain(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
guard CommandLine.arguments.count <= 2 else {
    complain("usage: purvey-passthrough [SOCKET]")
    exit(64)
}
do throws(Errno) {
    let argument = CommandLine.arguments.dropFirst().first
    if argument == Channel.argument {
        var server = try Server()
        // However it ends, the client is the only one whom it concerns.
        try? server.serve()
    } else {
        var listener = try Listener(at: argument ?? "/run/purvey-passthrough")
        try listener.listen()
    }
} catch {
    complain("purvey-passthrough: \(error)")
    exit(1)
}
