import Glibc
import LinuxSystem
import ProgramManuals

// Registers backing files for mounts of users who lack the capability for it.
StandardDescriptors.fillMissing()
signal(SIGPIPE, SIG_IGN)

let standardSocket = "/run/purvey-passthrough"
let manual = ProgramManual(
    name: "purvey-passthrough", section: 8, summary: "let the kernel read and write files of mounts of Purvey",
    usage: ["[SOCKET]"],
    text: """
        Registers files with the kernel for users who lack the permission, so that their mounts read local files without
        purveyd. Runs as root, until it is ended.
        """,
    discussion: """
        SOCKET is the path of the socket for all users (\(standardSocket)). It must contain a '/' and not begin with '-'.
        """)
let arguments = Array(CommandLine.arguments.dropFirst())
if let status = manual.answer(arguments) { exit(status) }
if arguments == [Channel.argument] {
    do throws(Errno) {
        var server = try Server()
        // The reason for the end concerns only the client.
        try? server.serve()
        exit(0)
    } catch {
        exit(manual.complain("\(error)"))
    }
}
if let option = arguments.first(where: { $0.hasPrefix("-") || $0.isEmpty }) ?? arguments.dropFirst().first {
    exit(manual.refuse(option))
}
let path = arguments.first ?? standardSocket
// All users may connect to the socket. A mistyped option must not create such a socket in the current directory.
guard path.contains("/") else {
    exit(manual.misuse("the socket '\(path)' is not a path, because it has no '/'"))
}
do throws(Errno) {
    var listener = try PassthroughListener(at: path)
    try listener.listen()
} catch {
    exit(manual.complain("\(path): \(error)"))
}
