// SandboxPeer DIRECTORY PROGRAM [ARGUMENT…]: runs a program confined as an extension is, with a directory that it may
// change, and ends with its exit status. For tests, and for Scripts/trace-extension.
import Glibc
import LinuxSystem
import Sandbox

/// Descriptor 2.
enum StandardError {
    static func print(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    StandardError.print("usage: SandboxPeer DIRECTORY PROGRAM [ARGUMENT…]")
    exit(2)
}
var confinement = Confinement(workingFolder: arguments[1])
confinement.paths = [
    (arguments[1], [.read, .write]), (arguments[2], [.read, .execute]), ("/usr", [.read, .execute]),
    ("/lib", [.read, .execute]),
    ("/lib64", [.read, .execute]), ("/etc/ld.so.cache", .read), ("/dev/null", [.read, .write]), ("/dev/urandom", .read),
]
do {
    let output = FileDescriptor(owning: try retrying { dup(STDOUT_FILENO) })
    let child = try ChildProgram.start(
        arguments[2], arguments: Array(arguments.dropFirst(3)), environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
        descriptors: [nil, output, output], confinedTo: confinement)
    switch try child.wait() {
    case .exited(let status): exit(status)
    case .signalled(let signal): exit(128 + signal)
    case .unknown: exit(1)
    }
} catch {
    StandardError.print("SandboxPeer: \(error)")
    exit(1)
}
