// `purvey-bus`: shows the domains and the states of their files on the session bus, uses the desktop's keyring, and
// reads the desktop's settings. The daemon starts this program with the address of the bus as its argument and one end
// of a socket pair as descriptor 3, and restarts it when it ends.
import Conduit
import Glibc
import LinuxSystem
import ProgramManuals

let manual = ProgramManual(
    name: "purvey-bus",
    summary: "show domains and the states of their files on the desktop's bus", usage: ["[--help] [--version]"],
    text: """
        Shows the domains and the states of their files on the desktop's message bus. Uses the desktop's keyring for purveyd,
        and reports the desktop's proxies and metered networks to it.

        It is not started by hand. purveyd starts it while domains exist or it needs the keyring, with the address of the
        bus as its argument and a socket as descriptor 3. With PURVEY_BUS=none in its environment, purveyd does not start it.
        """)

/// The limit of this process's private memory in bytes. Messages from other programs on the bus cannot make this
/// process use more.
let mostMemory: rlim_t = 512 << 20

signal(SIGPIPE, SIG_IGN)
umask(0o077)
// Core dumps are forbidden because the memory of this process contains the names of users' files.
CoreDumps.forbid()
let arguments = CommandLine.arguments.dropFirst()
if let status = manual.answer(arguments) { exit(status) }
if let option = arguments.first(where: { $0.hasPrefix("-") }) ?? arguments.dropFirst().first {
    exit(manual.refuse(option))
}
guard let address = arguments.first, fcntl(3, F_GETFD) >= 0,
    let socket = try? SequencedPacketSocket(checking: FileDescriptor(owning: 3))
else { exit(manual.misuse("this program is started by purveyd")) }
var limit = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
// GLib must not load its libraries for files and networks, which are of no use to this process.
setenv("GIO_USE_VFS", "local", 1)
setenv("GIO_USE_PROXY_RESOLVER", "dummy", 1)

let keyring = DesktopSecretService()
var calls = Service()
keyring.addCalls(to: &calls)
guard let daemon = try? Connection(socket, service: calls) else {
    exit(manual.misuse("descriptor 3 is not connected to purveyd"))
}
// This process ends with the daemon. No cleanup is needed.
daemon.onClose { _ in _exit(0) }
let bus = DesktopBus(address: address, daemon: daemon, keyring: keyring)
let settings = DesktopSettings(daemon: daemon)
Task.detached { await settings.begin() }
Task.detached {
    await bus.serve()
    _exit(1)
}
MainContextExecutor.run()
