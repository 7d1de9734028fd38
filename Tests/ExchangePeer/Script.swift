import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Synchronization

/// The commands that a test can send, which run on a thread of their own:
///
///     offer BOARD KIND TYPE…     offers an item, prints "offered UUID"
///     replace BOARD KIND TYPE…   makes it the contents of a board, prints "replaced"
///     fulfil BOARD KIND TYPE…    the same, fulfilled at once
///     withdraw                   withdraws everything, prints "withdrawn"
///     advance N | finish         advances or finishes the handlers of the kind "slow"
///     list BOARD                 prints "item NAME TYPE,TYPE" for each and then "listed N"
///     load BOARD TYPE DELIVERY   loads from the first item, prints "loaded …" or "failed …"
///     limit N                    limits this process to N descriptors, prints "limited"
///     offermany BOARD N          offers N items of type public.png, prints "offered N"
///     loadmany BOARD N           loads N items one after the other and then all at once, prints "loaded N N"
///     cancel                     cancels the load that was started last
///     churn BOARD COUNT          offers and withdraws items, prints "churned DESCRIPTORS KILOBYTES" of growth
///     become USER                becomes another user, prints "became USER"
///     knock PATH                 connects to a socket and sends a call, prints "closed" or "answered"
///     quit                       returns from main
final class Script: Sendable {
    private struct State {
        var offers: [Offer] = []
        var last: Progress?
    }

    private let state = Mutex(State())
    private let slow = SlowHandlers()

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            if words.first == "quit" { return }
            perform(words)
        }
    }

    static func say(_ line: String) {
        let bytes = Array((line.replacingOccurrences(of: "\n", with: " ") + "\n").utf8)
        // A test that has ended no longer reads, so the result is ignored.
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private func perform(_ words: [String]) {
        let rest = Array(words.dropFirst(2))
        switch words.first {
        case "offer":
            Board(words[1]).offer(Scenario.provider(rest, slow)) { result in
                switch result {
                case .success(let offer):
                    self.state.withLock { $0.offers.append(offer) }
                    Self.say("offered \(offer.identifier.uuidString)")
                case .failure(let error): Self.say("failed \(error)")
                }
            }
        case "replace", "fulfil":
            waiting {
                do {
                    try await Board(words[1]).replaceContents(
                        with: [Scenario.provider(rest, self.slow)], fulfilling: words[0] == "fulfil")
                    Self.say("replaced")
                } catch {
                    Self.say("failed \(error)")
                }
            }
        case "withdraw":
            let offers = state.withLock { state in
                defer { state.offers = [] }
                return state.offers
            }
            waiting {
                for offer in offers { await offer.withdraw() }
                Self.say("withdrawn")
            }
        case "advance": slow.advance(to: Int64(words[1]) ?? 0)
        case "finish": slow.finish()
        case "list": list(words[1])
        case "load": load(board: words[1], type: words[2], delivery: words[3])
        case "cancel": state.withLock { $0.last }?.cancel()
        case "become":
            let user = uid_t(words[1]) ?? 65_534
            Self.say(setgid(user) == 0 && setuid(user) == 0 ? "became \(user)" : "failed \(Errno.current)")
        case "knock": knock(words[1])
        case "limit":
            var limit = rlimit(rlim_cur: rlim_t(words[1]) ?? 0, rlim_max: rlim_t(words[1]) ?? 0)
            let isSet = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            Self.say(isSet ? "limited" : "failed \(Errno.current)")
        case "offermany": offerMany(board: words[1], count: Int(words[2]) ?? 0)
        case "loadmany": loadMany(board: words[1])
        case "churn": churn(board: words[1], count: Int(words[2]) ?? 0)
        default: Self.say("unknown command \(words)")
        }
    }

    private func list(_ board: String) {
        Board(board).items { result in
            do {
                let items = try result.get()
                for item in items {
                    Self.say(
                        "item \(item.suggestedName ?? "-") \(item.registeredTypeIdentifiers.joined(separator: ","))")
                }
                Self.say("listed \(items.count)")
            } catch {
                Self.say("failed \(error)")
            }
        }
    }

    private func load(board: String, type: String, delivery: String) {
        Board(board).items { result in
            guard let item = (try? result.get())?.first else { return Self.say("failed nothing offered") }
            let progress: Progress
            switch delivery {
            case "data":
                progress = item.loadDataRepresentation(forTypeIdentifier: type) { data, error in
                    Self.say(data.map { "loaded data \($0.count)" } ?? Self.describe(error))
                }
            default:
                progress = item.loadInPlaceFileRepresentation(forTypeIdentifier: type) { url, isInPlace, error in
                    Self.say(url.map { "loaded \(isInPlace ? "in place" : "copy") \($0.path)" } ?? Self.describe(error))
                }
            }
            self.state.withLock { $0.last = progress }
            Self.say("loading")
        }
    }

    private func offerMany(board: String, count: Int) {
        waiting {
            do {
                for _ in 0..<count {
                    let offer = try await Board(board).offer(
                        Scenario.provider(["data", "public.png", "10"], self.slow))
                    self.state.withLock { $0.offers.append(offer) }
                }
                Self.say("offered \(count)")
            } catch {
                Self.say("failed \(error)")
            }
        }
    }

    private func loadMany(board: String) {
        waiting {
            do {
                let items = try await Board(board).items()
                var inTurn = 0
                for item in items {
                    let data = try await item.loadDataRepresentation(forTypeIdentifier: "public.png")
                    inTurn += data.count == 10 ? 1 : 0
                }
                // New item objects, whose sockets are not open yet.
                let more = try await Board(board).items()
                let counts = more.map { item in
                    AsyncStream<Int> { stream in
                        item.loadDataRepresentation(forTypeIdentifier: "public.png") { data, _ in
                            stream.yield(data?.count == 10 ? 1 : 0)
                            stream.finish()
                        }
                    }
                }
                var atOnce = 0
                for count in counts { for await one in count { atOnce += one } }
                Self.say("loaded \(inTurn) \(atOnce)")
                withExtendedLifetime((items, more)) {}
            } catch {
                Self.say("failed \(error)")
            }
        }
    }

    private static func describe(_ error: (any Error)?) -> String {
        guard let error = error as NSError? else { return "failed without an error" }
        let causes = sequence(first: error) { $0.userInfo[NSUnderlyingErrorKey] as? NSError }
            .map { "\($0.domain) \($0.code)" }.joined(separator: " < ")
        return "failed \(causes) \(error.localizedDescription)"
    }

    /// Sends a call to a socket without checking which user serves it.
    private func knock(_ path: String) {
        do {
            let socket = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: path))
            // A call without a body, which any serving peer answers with a failure.
            let request: [UInt8] = [0x85, 0x00, 0x01, 0x00, 0x0D, 0xA0]
            try? request.withUnsafeBytes { try socket.send($0) }
            var wait = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
            _ = poll(&wait, 1, -1)
            var buffer = [UInt8](repeating: 0, count: 4096)
            let received = try? buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }
            Self.say((received?.byteCount ?? 0) == 0 ? "closed" : "answered")
        } catch {
            Self.say("failed \(error)")
        }
    }

    /// Offers and withdraws items, several at a time, and prints the growth of this process's descriptors and memory.
    private func churn(board: String, count: Int) {
        waiting {
            func round(_ count: Int) async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            for _ in 0..<(count / 16) {
                                let provider = Scenario.provider(["data", "public.data", "16"], self.slow)
                                let offer = try await Board(board).offer(provider)
                                await offer.withdraw()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            do {
                // State that is created once and kept is not growth.
                try await round(4_000)
                let before = (Self.openDescriptors, Self.residentKilobytes)
                try await round(count)
                Self.say("churned \(Self.openDescriptors - before.0) \(Self.residentKilobytes - before.1)")
            } catch {
                Self.say("failed \(error)")
            }
        }
    }

    private static var openDescriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }

    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    /// Runs a task to its end before the next command.
    private func waiting(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await body()
            done.signal()
        }
        done.wait()
    }
}
