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
    var helper = try Helper(listeningAt: CommandLine.arguments.dropFirst().first ?? "/run/purvey-passthrough")
    try helper.serve()
} catch {
    complain("purvey-passthrough: \(error)")
    exit(1)
}
