// `purvey-keeper`: starts the daemon again when it has died. The daemon starts it, with one end of a socket as descriptor 3, for as
// long as it has domains.
import Glibc
import LinuxSystem

// What ends the daemon's terminal or its starter is no end of the daemon.
for number in [SIGHUP, SIGINT, SIGPIPE] { signal(number, SIG_IGN) }
guard fcntl(3, F_SETFD, FD_CLOEXEC) >= 0 else {
    complain("this program is started by purveyd")
    exit(1)
}
do throws(Errno) {
    exit(try Keeper(line: SequencedPacketSocket(checking: FileDescriptor(owning: 3))).run())
} catch {
    complain("\(error)")
    exit(1)
}
