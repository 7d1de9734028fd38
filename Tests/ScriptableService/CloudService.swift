import Foundation
import Glibc
import ItemValues
import LinuxSystem

/// A server that offers a ``Cloud`` to providers at a TCP port of this machine, and to tests at a control socket. Both
/// are found through a directory. Each connection has a thread. Rules make the service misbehave.
package final class CloudService: Sendable {
    private struct State {
        var cloud = Cloud()
        var rules: [(rule: CloudRule, seen: Int)] = []
        /// The number of times that the rules have changed. A change ends the wait of held requests.
        var ruleCount = 0
        /// The number of held requests.
        var held = 0
        var requests: [CloudRequest] = []
    }

    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Returns the path of the file in a directory that contains the port number.
    package static func portFile(in folder: String) -> String { folder + "/port" }
    package static func controlSocket(in folder: String) -> String { folder + "/control" }

    /// Serves until a test ends the process.
    package func serve(in folder: String) throws {
        let control = try CloudSocket.listen(path: Self.controlSocket(in: folder))
        let (listening, port) = try CloudSocket.listen()
        let (file, whole) = (folder + "/port.new", Self.portFile(in: folder))
        try Data("\(port)".utf8).write(to: URL(fileURLWithPath: file))
        _ = try retrying { rename(file, whole) }
        try SystemThread.start("cloud") { self.takeConnections(listening) { try self.answer($0) } }
        takeConnections(control) { try self.obey($0) }
    }

    private func takeConnections(_ listening: FileDescriptor, _ serve: @escaping @Sendable (CloudSocket) throws -> Void)
    {
        while true {
            guard let socket = try? CloudSocket.accept(listening) else {
                // The process is most likely out of descriptors for the moment.
                usleep(1000)
                continue
            }
            // An error ends the connection, and only the peer has to handle it.
            HandlerThreads.shared.run { try? serve(socket) }
        }
    }

    private static var now: Double { Date().timeIntervalSince1970 }

    // MARK: Providers

    private func answer(_ socket: CloudSocket) throws {
        let (signed, size) = try socket.receive(SignedRequest.self)
        let body = try socket.receive(size)
        let effect = state.withLock { state -> CloudRule.Effect? in
            state.requests.append(signed.request)
            return Self.effect(on: signed.request, &state)
        }
        var failure: CloudError?
        switch effect {
        case .drop: return
        case .delay(let seconds): usleep(UInt32(seconds * 1_000_000))
        case .hold: waitForOtherRules()
        case .fail(let reason): failure = reason
        case .fillUp: state.withLock { $0.cloud.settings.quota = 0 }
        case .signOut(let password):
            state.withLock { state in
                state.cloud.settings.password = password
                state.cloud.endSessions()
            }
        default: break
        }
        var (answer, contents) = failure.map { (.failed($0), []) } ?? perform(signed, body)
        switch effect {
        case .dropAfterwards: return
        case .holdAfterwards: waitForOtherRules()
        case .halve: contents = Array(contents.prefix(contents.count / 2))
        case .claim(let size): answer = answer.claiming(size)
        case .bloat(let size):
            try socket.send(answer, bodySize: size)
            return try sendNothing(socket, size)
        case .truncate(let limit):
            try socket.send(answer, bodySize: contents.count)
            contents = Array(contents.prefix(limit))
            return try socket.send(contents[...])
        case .slow(let rate):
            try socket.send(answer, bodySize: contents.count)
            return try send(contents, to: socket, bytesPerSecond: rate)
        default: break
        }
        try socket.send(answer, bodySize: contents.count)
        try socket.send(contents[...])
    }

    private func perform(_ signed: SignedRequest, _ body: [UInt8]) -> (CloudAnswer, [UInt8]) {
        state.withLock { state in
            do throws(CloudError) {
                return try state.cloud.answer(signed, body: body, now: Self.now)
            } catch {
                return (.failed(error), [])
            }
        }
    }

    /// Returns the effect of the first rule that matches a request and is still in effect.
    private static func effect(on request: CloudRequest, _ state: inout State) -> CloudRule.Effect? {
        let names = request.item.map { [$0, state.cloud.nodes[ExactText($0)]?.item.name ?? $0] } ?? []
        for index in state.rules.indices {
            let rule = state.rules[index].rule
            guard rule.request == nil || rule.request == request.kind, rule.item.map(names.contains) ?? true else {
                continue
            }
            state.rules[index].seen += 1
            let met = state.rules[index].seen - rule.skipping
            if met > 0, met <= rule.times ?? .max { return rule.effect }
        }
        return nil
    }

    private func waitForOtherRules() {
        let count = state.withLock { state in
            state.held += 1
            return state.ruleCount
        }
        while state.withLock({ $0.ruleCount }) == count { usleep(2000) }
        state.withLock { $0.held -= 1 }
    }

    private func sendNothing(_ socket: CloudSocket, _ size: Int) throws {
        let piece = [UInt8](repeating: 0, count: CloudSocket.pieceSize)
        var left = size
        while left > 0 {
            try socket.send(piece.prefix(left))
            left -= min(left, piece.count)
        }
    }

    private func send(_ contents: [UInt8], to socket: CloudSocket, bytesPerSecond rate: Int) throws {
        var rest = contents[...]
        let piece = max(1, rate / 50)
        while !rest.isEmpty {
            try socket.send(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            usleep(20_000)
        }
    }

    // MARK: Tests

    private func obey(_ socket: CloudSocket) throws {
        let (command, size) = try socket.receive(CloudCommand.self)
        let body = try socket.receive(size)
        if case .stop = command {
            try socket.send(CloudReport.done)
            exit(0)
        }
        let (report, contents) = state.withLock { Self.obey(command, body, &$0) }
        try socket.send(report, bodySize: contents.count)
        try socket.send(contents[...])
    }

    private static func obey(_ command: CloudCommand, _ body: [UInt8], _ state: inout State) -> (CloudReport, [UInt8]) {
        switch command {
        case .put(let path): state.cloud.put(body, at: path, now: now)
        case .fill(let path, let count, let prefix, let suffix):
            state.cloud.fill(path, count: count, prefix: prefix, suffix: suffix, now: now)
        case .remove(let path):
            guard state.cloud.remove(at: path) else { return (.failed("there is no \(path)"), []) }
        case .move(let path, let target):
            guard state.cloud.move(at: path, to: target, now: now) else {
                return (.failed("\(path) cannot be moved to \(target)"), [])
            }
        case .fact(let fact, let path):
            guard state.cloud.set(fact, at: path) else { return (.failed("there is no \(path)"), []) }
        case .thumbnail(let path):
            guard state.cloud.setThumbnail(body, at: path) else { return (.failed("there is no \(path)"), []) }
        case .settings(let settings): state.cloud.settings = settings
        case .currentSettings: return (.settings(state.cloud.settings), [])
        case .add(let rule):
            state.rules.append((rule, 0))
            state.ruleCount += 1
        case .removeRules:
            state.rules = []
            state.ruleCount += 1
        case .endSessions: state.cloud.endSessions()
        case .expireAnchors: state.cloud.expireAnchors()
        case .snapshot: return (.snapshot(state.cloud.snapshot), [])
        case .everything:
            let items = state.cloud.snapshot
            let contents = items.keys.sorted().reduce(into: [UInt8]()) { contents, path in
                contents += items[path].flatMap { state.cloud.nodes[ExactText($0.identifier)]?.contents } ?? []
            }
            return (.snapshot(items), contents)
        case .requests: return (.requests(state.requests), [])
        case .held: return (.held(state.held), [])
        case .forgetRequests: state.requests = []
        case .contents(let path):
            guard let node = state.cloud.node(at: path) else { return (.failed("there is no \(path)"), []) }
            return (.done, node.contents)
        case .stop: break
        }
        return (.done, [])
    }
}

extension CloudAnswer {
    /// Returns the reply with another size of the item or items in it.
    fileprivate func claiming(_ size: Int) -> CloudAnswer {
        func changed(_ item: CloudItem) -> CloudItem {
            var item = item
            if item.kind == .file { item.size = size }
            return item
        }
        return switch self {
        case .item(let item): .item(changed(item))
        case .page(let items, let next): .page(items.map(changed), next: next)
        case .changes(let updated, let deleted, let anchor, let moreComing):
            .changes(updated: updated.map(changed), deleted: deleted, anchor: anchor, moreComing: moreComing)
        default: self
        }
    }
}
