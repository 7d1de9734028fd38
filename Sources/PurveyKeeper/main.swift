// `purvey-keeper`: restarts a dead daemon, and holds its mounts until then. The daemon starts it while it has
// domains, with one end of a socket pair as descriptor 3.
import Glibc
import LinuxSystem
import MountTakeover
import ProgramManuals

// SIGHUP and SIGINT from the daemon's terminal must not end the keeper. A write to the socket of a dead daemon must
// fail instead of raising SIGPIPE.
for number in [SIGHUP, SIGINT, SIGPIPE] { signal(number, SIG_IGN) }
let arguments = CommandLine.arguments.dropFirst()
if let status = manual.answer(arguments) { exit(status) }
if let extra = arguments.first { exit(manual.refuse(extra)) }
guard fcntl(3, F_SETFD, FD_CLOEXEC) >= 0 else { exit(manual.misuse("this program is started by purveyd")) }
do throws(Errno) {
    let line = try SequencedPacketSocket(checking: FileDescriptor(owning: 3))
    guard var keeper = Keeper(line: line) else { exit(0) }
    exit(keeper.run())
} catch {
    complain("\(error)")
    exit(1)
}
