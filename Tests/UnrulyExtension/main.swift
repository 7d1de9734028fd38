// An extension's program that does whatever it is told over its socket, and says how that went: one packet with a deed
// and its operand, one packet back. For tests of confinement; it speaks no protocol.
import Glibc

let socketNumber: CInt = 3

func answer(_ text: String) {
    let bytes = Array(text.utf8)
    _ = send(socketNumber, bytes, bytes.count, CInt(MSG_NOSIGNAL))
}

func outcome(_ result: CInt) -> String { result >= 0 ? "done" : String(cString: strerror(errno)) }

func newProcess() -> String {
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    let error = posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil)
    if error == 0 { waitpid(child, nil, 0) }
    return error == 0 ? "done" : String(cString: strerror(error))
}

func eatMemory() -> Never {
    var eaten: [[UInt8]] = []
    while true { eaten.append([UInt8](repeating: 1, count: 1 << 20)) }
}

func startThread() -> String {
    var thread = pthread_t()
    guard pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return outcome(-1) }
    return outcome(pthread_join(thread, nil))
}

var buffer = [UInt8](repeating: 0, count: 4096)
while true {
    var wait = pollfd(fd: socketNumber, events: CShort(POLLIN), revents: 0)
    poll(&wait, 1, -1)
    let count = recv(socketNumber, &buffer, buffer.count, 0)
    guard count > 0 else { exit(0) }
    let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
    let operand = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "greet": answer("hello")
    case "environment":
        let names = ["HOME", "TMPDIR", operand]
        answer(names.map { name in getenv(name).map { String(cString: $0) } ?? "-" }.joined(separator: " "))
    case "crash":
        let words = Array("about to fall over\n".utf8)
        _ = write(STDERR_FILENO, words, words.count)
        abort()
    case "exit": exit(CInt(operand) ?? 1)
    case "hang": while true { pause() }
    case "write": answer(outcome(open(operand, O_WRONLY | O_CREAT, 0o600)))
    case "read": answer(outcome(open(operand, O_RDONLY)))
    case "process": answer(newProcess())
    case "thread": answer(startThread())
    case "eat": eatMemory()
    case "signal": answer(outcome(kill(pid_t(operand) ?? 1, 0)))
    case "socket": answer(outcome(socket(CInt(operand) ?? AF_INET, CInt(SOCK_STREAM.rawValue), 0)))
    case "descriptors":
        answer((0..<64).filter { fcntl($0, F_GETFD) >= 0 }.map(String.init).joined(separator: " "))
    // A real host's request, for instance: it gets no answer, and the end of the socket changes nothing.
    default: while true { pause() }
    }
}
