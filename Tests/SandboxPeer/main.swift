// SandboxPeer DIRECTORY PROGRAM [ARGUMENT…]: runs a program confined as an extension is, with a directory that it may change, and
// ends with its exit status. For tests, and for Scripts/trace-extension.
import Glibc
import LinuxSystem
import Sandbox

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    fputs("usage: SandboxPeer DIRECTORY PROGRAM [ARGUMENT...]\n", stderr)
    exit(2)
}
var confinement = Confinement(workingFolder: arguments[1])
confinement.paths = [
    (arguments[1], [.read, .write]), (arguments[2], [.read, .execute]), ("/usr", [.read, .execute]), ("/lib", [.read, .execute]),
    ("/lib64", [.read, .execute]), ("/etc/ld.so.cache", .read), ("/dev/null", [.read, .write]), ("/dev/urandom", .read),
]
do {
    let output = try FileDescriptor.open("/dev/stdout", .writeOnly)
    let child = try ChildProgram.start(
        arguments[2], arguments: Array(arguments.dropFirst(3)), environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
        descriptors: [nil, output, output], confinedTo: confinement)
    switch try child.wait() {
    case .exited(let status): exit(status)
    case .signalled(let signal): exit(128 + signal)
    case .unknown: exit(1)
    }
} catch {
    fputs("SandboxPeer: \(error)\n", stderr)
    exit(1)
}
