import Fuse
import Glibc
import LinuxSystem

// Shows a directory in another place until it is interrupted or unmounted.
func complain(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
let usage = "usage: mirror FOLDER MOUNTPOINT"
let arguments = Array(CommandLine.arguments.dropFirst())
if let word = arguments.first(where: { ["--help", "-h", "--version"].contains($0) }) {
    guard puts(word == "--version" ? "mirror \(PurveyVersion.text)" : usage) >= 0, fflush(nil) == 0 else {
        complain("mirror: standard output: \(Errno(rawValue: errno))")
        exit(1)
    }
    exit(0)
}
guard arguments.count == 2, !arguments.contains(where: { $0.hasPrefix("-") }) else {
    complain(usage)
    exit(2)
}
let (folder, mountPoint) = (arguments[0], arguments[1])
// The working directory may lie under the mount point, so the path must be absolute.
guard let source = realpath(folder, nil).map({ String(cString: $0) }) else {
    complain("mirror: \(folder): \(Errno(rawValue: errno))")
    exit(1)
}
// A session's threads block these signals. This thread blocks them, too, so that it can wait for them.
var (signals, number) = (sigset_t(), CInt(0))
sigemptyset(&signals)
for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
pthread_sigmask(SIG_BLOCK, &signals, nil)

var options = MountOptions(name: folder, subtype: "mirror")
options.source = source
options.isReadOnly = true
options.wantsPassthrough = true
do {
    let session = try Session.mount(at: mountPoint, options: options, Mirror(of: source))
    sigwait(&signals, &number)
    session.unmount()
    session.waitForEnd()
} catch {
    complain("mirror: \(error)")
    exit(1)
}
