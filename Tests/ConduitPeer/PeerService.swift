import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem

/// The calls that this process serves for the tests.
struct PeerService {
    private let common = TestService()

    var service: Service {
        var service = common.service
        service.on(Status.self) { [common] _, exchange in
            exchange.reply(
                Status.Reply(
                    processID: getpid(), openDescriptors: openDescriptors().count,
                    cancelledWaits: common.cancelledWaits, heldWaits: common.heldWaits))
        }
        service.on(LimitDescriptors.self) { request, exchange in
            // RLIMIT_NOFILE limits the highest number of a descriptor, not how many are open.
            let highest = openDescriptors().max() ?? 0
            var limit = rlimit(rlim_cur: rlim_t(Int(highest) + 1 + request.spare), rlim_max: 0)
            var now = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &now)
            limit.rlim_max = now.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            exchange.reply()
        }
        service.on(Exercise.self) { request, exchange in
            Task {
                do {
                    // The first round opens descriptors that stay open, such as those of the runtime's timers.
                    try await exercise(rounds: 1)
                    try await Task.sleep(for: .milliseconds(50))
                    let before = openDescriptors().count
                    try await exercise(rounds: request.rounds)
                    // The last connections may still be closing their sockets.
                    for _ in 0..<30_000 where openDescriptors().count > before {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    exchange.reply(Exercise.Reply(before: before, after: openDescriptors().count))
                } catch {
                    exchange.fail(domain: "Test", code: 1, message: "\(error)")
                }
            }
        }
        return service
    }
}

/// Returns the numbers of the open descriptors, except the one opened for the count.
func openDescriptors() -> [CInt] {
    guard let directory = opendir("/proc/self/fd") else { return [] }
    defer { closedir(directory) }
    var numbers: [CInt] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let number = CInt(name), number != dirfd(directory) { numbers.append(number) }
    }
    return numbers
}
