// An extension's program that uses bookmarks as instructed over its socket and reports the result. Each request is
// one packet with a command and its operand; each reply is one packet. For tests of security scope in a confined
// process.
import CoordinationService
import Dispatch
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Synchronization

let socketNumber: CInt = 3
let ended = DispatchSemaphore(value: 0)

func answer(_ text: String) {
    let bytes = Array(text.utf8)
    _ = send(socketNumber, bytes, bytes.count, CInt(MSG_NOSIGNAL))
}

func perform(_ deed: String, _ operand: String) throws -> String {
    let url = URL(fileURLWithPath: operand)
    switch deed {
    case "resolve", "resolve-implicitly":
        var isStale = false
        let url = try URL(
            resolvingBookmarkData: Data(base64Encoded: operand) ?? Data(),
            options: deed == "resolve" ? .withSecurityScope : [], bookmarkDataIsStale: &isStale)
        return "\(isStale ? "stale" : "current") \(url.path)"
    case "start": return url.startAccessingSecurityScopedResource() ? "yes" : "no"
    case "stop":
        url.stopAccessingSecurityScopedResource()
        return "done"
    case "end": return ScopedAccess.shared.end(operand) ? "ended" : "not ended"
    case "race":
        let read = Atomic(0)
        let threads = (0..<8).map { _ in
            Thread {
                for _ in 0..<20 where url.startAccessingSecurityScopedResource() {
                    if (try? Data(contentsOf: url)) != nil { read.add(1, ordering: .relaxed) }
                    url.stopAccessingSecurityScopedResource()
                }
                ended.signal()
            }
        }
        for thread in threads { thread.start() }
        for _ in threads { ended.wait() }
        let count = read.load(ordering: .relaxed)
        return count == 160 ? "all read" : "\(count) read"
    case "read": return String(decoding: try Data(contentsOf: url), as: UTF8.self)
    case "list": return try FileManager.default.contentsOfDirectory(atPath: operand).sorted().joined(separator: " ")
    case "append":
        let file = try FileHandle(forUpdating: url)
        try file.seekToEnd()
        try file.write(contentsOf: Data("+".utf8))
        return "done"
    case "remove":
        try FileManager.default.removeItem(at: url)
        return "done"
    case "keep":
        return outcome(link(operand, NSHomeDirectory() + "/Documents/kept"))
    case "item":
        guard let item = ScopedAccess.shared.item(at: operand) else { return "none" }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(item.rawValue, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    case "coordinated-read":
        return try coordinated { error in
            var text = "none"
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: &error) {
                text = (try? String(contentsOf: $0, encoding: .utf8)) ?? "unreadable"
            }
            return text
        }
    case "coordinated-append":
        return try coordinated { error in
            var text = "none"
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: &error) {
                text = (try? perform("append", $0.path)) ?? "unwritable"
            }
            return text
        }
    case "hold":
        Holder.shared.hold(url)
        return "held"
    case "release":
        Holder.shared.release()
        return "released"
    case "present":
        Witness.shared.present(url)
        NSFileCoordinator.addFilePresenter(Witness.shared)
        return "presenting"
    // The reply is never empty, as a packet of no bytes looks like the end.
    case "heard": return "heard " + Witness.shared.heard
    case "bookmark-relative":
        let paths = operand.split(separator: " ").map { URL(fileURLWithPath: String($0)) }
        return try paths[1].bookmarkData(
            options: .withSecurityScope,
            includingResourceValuesForKeys: [.fileSizeKey, URLResourceKey("org.example.unheard-of")],
            relativeTo: paths[0]
        ).base64EncodedString()
    case "resolve-relative":
        let words = operand.split(separator: " ").map(String.init)
        var isStale = false
        return try URL(
            resolvingBookmarkData: Data(base64Encoded: words[1]) ?? Data(), options: .withSecurityScope,
            relativeTo: URL(fileURLWithPath: words[0]), bookmarkDataIsStale: &isStale
        ).path
    case "bookmark": return try url.bookmarkData(options: .withSecurityScope).base64EncodedString()
    case "group":
        return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: operand)?.path ?? "none"
    case "group-set":
        let words = operand.split(separator: " ").map(String.init)
        let defaults = UserDefaults(suiteName: words[0])
        defaults?.set(words[2], forKey: words[1])
        return defaults == nil ? "none" : "set"
    case "group-get":
        let words = operand.split(separator: " ").map(String.init)
        return UserDefaults(suiteName: words[0])?.string(forKey: words[1]) ?? "none"
    case "write":
        let words = operand.split(separator: " ").map(String.init)
        try Data(words[1].utf8).write(to: URL(fileURLWithPath: words[0]))
        return "done"
    case "descriptors": return "\((0..<64).filter { fcntl($0, F_GETFD) >= 0 }.count)"
    default: return "unknown deed"
    }
}

func coordinated(_ body: (inout NSError?) -> String) throws -> String {
    var error: NSError?
    let text = body(&error)
    if let error { throw error }
    return text
}

/// Holds a coordinated write claim on a file until the test ends it.
final class Holder: Sendable {
    static let shared = Holder()
    private let begun = DispatchSemaphore(value: 0)
    private let ending = DispatchSemaphore(value: 0)

    func hold(_ url: URL) {
        Thread.detachNewThread { [begun, ending] in
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: nil) { _ in
                begun.signal()
                ending.wait()
            }
            begun.signal()
        }
        begun.wait()
    }

    func release() {
        ending.signal()
        begun.wait()
    }
}

/// Presents an item and records the notifications it receives.
final class Witness: NSObject, NSFilePresenter, Sendable {
    static let shared = Witness()
    private let state = Mutex<(url: URL?, heard: [String])>((nil, []))
    let presentedItemOperationQueue = OperationQueue()

    var presentedItemURL: URL? { state.withLock { $0.url } }
    var heard: String { state.withLock { $0.heard.joined(separator: " ") } }

    func present(_ url: URL) { state.withLock { $0.url = url } }

    private func note(_ word: String) { state.withLock { $0.heard.append(word) } }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func presentedItemDidChange() { note("changed") }
    func presentedItemDidMove(to newURL: URL) { note("moved:" + newURL.path) }
    func presentedSubitemDidChange(at url: URL) { note("subitem:" + url.path) }
}

func outcome(_ result: CInt) -> String { result >= 0 ? "done" : "refused" }

var buffer = [UInt8](repeating: 0, count: 16384)
while true {
    // The socket is non-blocking.
    var wait = pollfd(fd: socketNumber, events: CShort(POLLIN), revents: 0)
    poll(&wait, 1, -1)
    let count = recv(socketNumber, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { continue }
    guard count > 0 else { exit(0) }
    let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
    do {
        answer(try perform(words[0], words.count > 1 ? words[1] : ""))
    } catch let error as CocoaError {
        answer("error \(error.code.rawValue)")
    } catch {
        answer("error \(error)")
    }
}
