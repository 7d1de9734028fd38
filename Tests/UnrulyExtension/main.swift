// An extension's program that obeys all commands over its socket, and says how that went: one packet with a deed
// and its operand, one packet back. For tests of confinement; it speaks no protocol.
import CRuntimeSupport
import Foundation
import Glibc

let socketNumber: CInt = 3

func answer(_ text: String) {
    let bytes = Array(text.utf8)
    _ = send(socketNumber, bytes, bytes.count, CInt(MSG_NOSIGNAL))
}

func say(_ text: String, on descriptor: CInt) {
    let bytes = Array((text + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}

@inline(never) func fallOver(_ numbers: [Int], _ index: Int) -> Int { numbers[index] }

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

/// Gives the dispatch library more work than it has threads, for longer than the daemon's check of threads takes.
func keepThreadsBusy() -> String {
    for _ in 0..<200 { DispatchQueue.global().async { usleep(1_500_000) } }
    usleep(3_000_000)
    return "done"
}

typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int

/// The function syscall(2). It is variadic, and Swift does not import variadic functions.
let systemCall: SystemCall = {
    guard let address = dlsym(nil, "syscall") else { fatalError("the C library has no syscall") }
    // On x86-64 and arm64, integers are passed in the same registers whether or not their number varies.
    return unsafeBitCast(address, to: SystemCall.self)
}()

#if arch(x86_64)
    let callsWithPath = [
        "chmod": 90, "chown": 92, "lchown": 94, "utime": 132, "utimes": 235, "setxattr": 188, "lsetxattr": 189,
        "removexattr": 197, "lremovexattr": 198,
    ]
    let callsWithFolder = ["fchmodat": 268, "fchownat": 260, "futimesat": 261, "utimensat": 280]
    let otherCalls = ["inotify_init": 253, "inotify_init1": 294, "inotify_add_watch": 254]
#else
    let callsWithPath = ["setxattr": 5, "lsetxattr": 6, "removexattr": 14, "lremovexattr": 15]
    let callsWithFolder = ["fchmodat": 53, "fchownat": 54, "utimensat": 88]
    let otherCalls = ["inotify_init1": 26, "inotify_add_watch": 27]
#endif
#if arch(x86_64)
    let (ioctlNumber, prctlNumber, memoryFileNumber) = (16, 157, 319)
#else
    let (ioctlNumber, prctlNumber, memoryFileNumber) = (29, 167, 279)
#endif
/// System call numbers that are the same on every architecture.
let newCallsWithFolder = ["fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469]

/// F_SETLEASE, which the C library defines only for GNU programs.
let setLease: CInt = 1024

/// Tries all system calls that change a file's metadata. Returns the calls that were not refused.
func change(_ path: String) -> String {
    var passed: [String] = []
    func tried(_ name: String, _ result: Int) {
        if result >= 0 || errno != EPERM { passed.append("\(name) (\(String(cString: strerror(errno))))") }
    }
    path.withCString { characters in
        let address = Int(bitPattern: characters)
        for (name, number) in callsWithPath { tried(name, systemCall(number, address, 0, 0, 0, 0, 0)) }
        for (name, number) in callsWithFolder.merging(newCallsWithFolder, uniquingKeysWith: { $1 }) {
            tried(name, systemCall(number, Int(AT_FDCWD), address, 0, 0, 0, 0))
        }
        for (name, number) in otherCalls { tried(name, systemCall(number, 0, address, 0, 0, 0, 0)) }
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return passed.append("open (\(outcome(file)))") }
        defer { close(file) }
        // These may say that they have done it.
        fchmod(file, 0o777)
        fchown(file, getuid() + 1, getgid() + 1)
        futimens(file, [timespec(), timespec()])
        tried("lease", Int(fcntl(file, setLease, CInt(F_RDLCK))))
        var flags = 0x80  // FS_NOATIME_FL
        withUnsafeMutablePointer(to: &flags) { flags in
            tried("flags", systemCall(ioctlNumber, Int(file), 0x4008_6602, Int(bitPattern: flags), 0, 0, 0))
        }
    }
    return passed.isEmpty ? "nothing" : passed.sorted().joined(separator: ", ")
}

/// Uses Foundation as extensions do in their containers. Returns the first step that fails.
func useFoundation() -> String {
    let files = FileManager.default
    let home = URL(fileURLWithPath: NSHomeDirectory() + "/Documents")
    func place(_ name: String) -> URL { home.appendingPathComponent(name) }
    do {
        try Data("one".utf8).write(to: place("data"), options: .atomic)
        try Data("two".utf8).write(to: place("data"), options: .atomic)
        try NSData(data: Data("three".utf8)).write(to: place("object"), options: .atomic)
        try "four".write(to: place("text"), atomically: true, encoding: .utf8)
        guard files.createFile(atPath: place("made").path, contents: Data("five".utf8)) else { return "createFile" }
        try files.createDirectory(at: place("folder/inner"), withIntermediateDirectories: true)
        try files.copyItem(at: place("data"), to: place("folder/inner/copy"))
        try files.copyItem(at: place("folder"), to: place("folders"))
        try files.moveItem(at: place("folders"), to: place("moved"))
        let copied = try Data(contentsOf: place("moved/inner/copy"))
        try files.removeItem(at: place("moved"))
        return copied == Data("two".utf8) ? "done" : "another copy"
    } catch {
        return "\(error)"
    }
}

func newMemoryFile() -> CInt {
    CInt("eaten".withCString { systemCall(memoryFileNumber, Int(bitPattern: $0), 0, 0, 0, 0, 0) })
}

/// Fills memory files, sealed or not, until the process is ended.
func fillMemoryFiles() -> Never {
    let megabyte = [UInt8](repeating: 1, count: 1 << 20)
    var file: CInt = -1
    for count in 0... {
        if count % 16 == 0 { file = newMemoryFile() }
        _ = write(file, megabyte, megabyte.count)
    }
    exit(0)
}

func mapSharedMemory() -> String {
    let address = mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    return outcome(address == MAP_FAILED ? -1 : 0)
}

func grow(_ path: String) -> String {
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    return outcome(file < 0 ? file : ftruncate(file, 1 << 40))
}

/// Makes a system call: its number and up to six arguments, each of which is a number, `@TEXT` for the address of a
/// text, or `#COUNT` for the address of a buffer of that many bytes.
func makeCall(_ operand: String) -> String {
    var addresses: [UnsafeMutableRawPointer] = []
    defer { for address in addresses { address.deallocate() } }
    var arguments = operand.split(separator: " ").map { word -> Int in
        if word.hasPrefix("0x") { return Int(truncatingIfNeeded: UInt64(word.dropFirst(2), radix: 16) ?? 0) }
        guard word.hasPrefix("@") || word.hasPrefix("#") else { return Int(word) ?? 0 }
        let text =
            word.hasPrefix("@")
            ? Array(word.dropFirst().utf8) + [0] : [UInt8](repeating: 0, count: Int(word.dropFirst()) ?? 0)
        let address = UnsafeMutableRawPointer.allocate(byteCount: max(text.count, 1), alignment: 16)
        address.copyMemory(from: text, byteCount: text.count)
        addresses.append(address)
        return Int(bitPattern: address)
    }
    arguments += [Int](repeating: 0, count: 7)
    let result = systemCall(
        arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6])
    return result < 0 ? String(cString: strerror(errno)) : "done"
}

/// Makes random system calls with random arguments, except those that end or stop the process, or close its socket.
func makeCallsByChance(_ operand: String, sparing spared: Set<Int>) -> String {
    let words = operand.split(separator: " ").map(String.init)
    var state = UInt64(words[0]) ?? 1
    func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
    let texts = (words.dropFirst(2) + ["/etc/passwd", "/proc/1", "x"]).map { Int(bitPattern: strdup($0)) }
    let room = Int(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16))
    func argument() -> Int {
        switch next() % 8 {
        case 0: return Int(next() % 16)
        case 1: return -1
        case 2, 3: return texts[Int(next()) % texts.count]
        case 4, 5: return room
        case 6: return 1 << Int(next() % 32)
        default: return Int(truncatingIfNeeded: next() << 20)
        }
    }
    var made = 0
    while made < Int(words[1]) ?? 0 {
        let number = Int(next() % 480)
        if spared.contains(number) { continue }
        _ = systemCall(number, argument(), argument(), argument(), argument(), argument(), argument())
        made += 1
    }
    return "done"
}

/// Reads every page of a mapping that occupies no memory itself, so that only the page tables occupy memory.
func fillPageTables() -> Never {
    let size = 1 << 46
    // PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE.
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x4000, -1, 0), base != MAP_FAILED else {
        exit(9)
    }
    var sum = 0
    for offset in stride(from: 0, to: size, by: 2 << 20) {
        sum &+= Int(base.load(fromByteOffset: offset, as: UInt8.self))
    }
    exit(CInt(sum & 1))
}

/// Fills the buffers of socket pairs, as many as the kernel permits.
func fillSockets() -> Never {
    let piece = [UInt8](repeating: 1, count: 64 << 10)
    while true {
        var ends: [CInt] = [-1, -1]
        if socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) != 0 {
            usleep(10_000)
        }
        for end in ends where end >= 0 { while send(end, piece, piece.count, CInt(MSG_NOSIGNAL)) > 0 {} }
    }
}

/// Starts threads until the process is ended. Each thread uses as little memory as possible.
func startThreads() -> Never {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, 16 << 10)
    while true {
        var thread = pthread_t()
        if pthread_create(&thread, attributes, { _ in while true { pause() } }, nil) != 0 { usleep(1_000) }
    }
}

#if arch(x86_64)
    /// Calls that end, block or disarm the process: exit, exit_group, pause, rt_sigreturn, rt_sigsuspend, kill, close,
    /// dup2, dup3, shutdown, close_range, select and the like, wait4, waitid, flock, futex, sigaltstack, rt_sigaction,
    /// rt_sigprocmask, munmap, mprotect, mremap, brk, arch_prctl, execve, chdir, fchdir, prlimit64, setrlimit, read,
    /// recv*, accept*, poll*, epoll waits, nanosleep, timers, alarm.
    let sparedCalls: Set<Int> = [
        60, 231, 34, 15, 130, 62, 234, 3, 33, 292, 48, 436, 23, 270, 61, 247, 73, 202, 131, 13, 14, 11, 10, 25, 12, 158,
        59, 80, 81, 302,
        160, 0, 19, 17, 295, 327, 45, 47, 299, 43, 288, 7, 271, 232, 281, 441, 35, 230, 222, 223, 283, 286, 37, 38, 449,
        128, 9, 28, 218,
        273, 334, 162, 72,
    ]
#else
    let sparedCalls: Set<Int> = [
        93, 94, 139, 133, 129, 131, 57, 24, 210, 436, 72, 73, 260, 95, 32, 98, 132, 134, 135, 215, 226, 216, 214, 221,
        49, 50, 261, 164, 63,
        65, 67, 69, 207, 212, 243, 202, 242, 22, 441, 101, 115, 107, 110, 85, 86, 103, 449, 137, 222, 233, 96, 99, 293,
        25,
    ]
#endif

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
    case "told-crash":
        cswift_print_by_lines()
        cswift_report_crashes()
        print("printed before the end")
        answer("\(fallOver([], operand.count))")
    case "print":
        say("\(operand) on output", on: STDOUT_FILENO)
        say("\(operand) on errors", on: STDERR_FILENO)
        answer("done")
    case "frames":
        say(CSWIFT_CRASH_BEGIN + "11\n" + operand + "\n" + CSWIFT_CRASH_END, on: STDERR_FILENO)
        answer("done")
    case "exit": exit(CInt(operand) ?? 1)
    case "hang": while true { pause() }
    case "write": answer(outcome(open(operand, O_WRONLY | O_CREAT, 0o600)))
    case "read": answer(outcome(open(operand, O_RDONLY)))
    case "process": answer(newProcess())
    case "thread": answer(startThread())
    case "busy": answer(keepThreadsBusy())
    case "eat": eatMemory()
    case "memory-files": fillMemoryFiles()
    case "shared": answer(mapSharedMemory())
    case "undumpable": answer(outcome(CInt(systemCall(prctlNumber, 4, 0, 0, 0, 0, 0))))
    case "grow": answer(grow(operand))
    case "change": answer(change(operand))
    case "foundation": answer(useFoundation())
    case "signal": answer(outcome(kill(pid_t(operand) ?? 1, 0)))
    case "call": answer(makeCall(operand))
    case "chance": answer(makeCallsByChance(operand, sparing: sparedCalls))
    case "page-tables": fillPageTables()
    case "sockets": fillSockets()
    case "threads": startThreads()
    case "leaderless": Watched.endFirstThread { _ in fillMemoryFiles() }
    case "hidden": Watched.hideAmongThreads { _ in fillMemoryFiles() }
    case "map": answer(Watched.map(newMemoryFile(), megabytes: Int(operand) ?? 1))
    case "split": answer(Watched.splitMappings(Int(operand) ?? 1))
    case "connect": answer(Watched.connect(Int(operand) ?? 1))
    case "sleep":
        usleep(1000 * (UInt32(operand) ?? 0))
        answer("done")
    case "exists": answer(outcome(access(operand, F_OK)))
    case "text":
        let text = (try? String(contentsOfFile: operand, encoding: .utf8)) ?? "-"
        answer(String(text.prefix(12_000)))
    case "files":
        for number in 0..<(Int(operand) ?? 0) {
            close(open(NSHomeDirectory() + "/Documents/\(number)", O_WRONLY | O_CREAT, 0o600))
        }
        answer("done")
    case "socket": answer(outcome(socket(CInt(operand) ?? AF_INET, CInt(SOCK_STREAM.rawValue), 0)))
    case "descriptors":
        answer((0..<64).filter { fcntl($0, F_GETFD) >= 0 }.map(String.init).joined(separator: " "))
    // A real host's request, for instance: it gets no answer, and the end of the socket changes nothing.
    default: while true { pause() }
    }
}
