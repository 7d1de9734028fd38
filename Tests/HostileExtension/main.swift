// An extension's program that attacks the processes it has connections to. The name of its file says how: see
// HostileRole.
import AttackTesting
import Glibc
import LinuxSystem

for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }

guard let role = HostileRole(program: CommandLine.arguments[0]) else { exit(64) }

switch role.kind {
case .told:
    while let order = Order.next() {
        do {
            try order.perform()
            Order.answer("done")
        } catch {
            Order.answer("\(error)")
        }
    }
case .called, .pictures:
    try Conversation(.call, role).hold()
case .provider:
    // The other sockets are attacked meanwhile.
    for line in [Line.scopes, .coordination] {
        try SystemThread.start("attack") {
            try? line.attack(seed: role.seed, packets: role.packets, isPatient: false)
        }
    }
    try Conversation(.call, role).hold()
}
