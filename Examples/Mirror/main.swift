import Fuse
import Glibc

// Shows a folder in another place until it is interrupted or unmounted.
func complain(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
guard CommandLine.arguments.count == 3, let source = realpath(CommandLine.arguments[1], nil) else {
    complain("usage: mirror FOLDER MOUNTPOINT")
    exit(64)
}
// A session's threads take no signals; these are kept for this one to wait for.
var (signals, number) = (sigset_t(), CInt(0))
sigemptyset(&signals)
for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
pthread_sigmask(SIG_BLOCK, &signals, nil)

var options = MountOptions(name: CommandLine.arguments[1], subtype: "mirror")
options.isReadOnly = true
options.wantsPassthrough = true
do {
    let session = try Session.mount(
        at: CommandLine.arguments[2], options: options, Mirror(of: String(cString: source)))
    sigwait(&signals, &number)
    session.unmount()
    session.waitForEnd()
} catch {
    complain("mirror: \(error)")
    exit(1)
}
