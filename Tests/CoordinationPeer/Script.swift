import Exchange
import FileCoordination
import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The commands that a test can send:
///
///     read PATH | write PATH | delete PATH     asks for a claim, prints "asked" and "granted PATH", keeps it until
///                                              "end", prints "ended"
///     end                                      ends the claims that are granted, the latest first
///     move PATH PATH                           moves a file without announcing it, prints "moved"
///     replace PATH TEXT                        writes a file under a claim, prints "replaced"
///     contents PATH                            reads a file under a claim, prints "contents TEXT"
///     present PATH                             adds a presenter, prints "presenting"; it prints "told WORDS"
///     obstinate PATH                           adds a presenter that never answers
///     saving PATH TEXT                         adds a presenter that saves text when it is asked to
///     absent                                   removes the presenters, prints "absent"
///     count COUNT PATH                         adds one to the number in a file COUNT times, each under a claim,
///                                              prints "counted"
///     flood COUNT PATH                         makes COUNT claims at once, prints "flooded" when all were granted
///     nest PATH PATH                           claims the first, prints "outer", and after "end" the second within it,
///                                              prints "nested" or "failed …"
///     offer PATH coordinated | in-place        offers a file, prints "offered"
///     load BOARD data | copy                   loads a file as data or as a copy, prints "loaded TEXT"
///     loadfolder BOARD archive | copy PATH     loads a directory as data or as a copy at PATH, prints "loaded"
///     version PATH TEXT                        adds a version in conflict, prints "added"
///     resolve PATH                             resolves the versions in conflict, prints "resolved"
///     discard PATH                             removes all versions but the current one, prints "discarded"
///     wordy PATH                               adds a presenter that fails to save, with a message over the size limit
///     presentnothing                           adds a presenter of no item, prints "presenting"
///     shift PATH                               makes the last presenter present PATH, prints "shifted"
///     purpose COUNT PATH                       reads with a purpose of COUNT bytes, prints "read" or "failed …"
///     sever                                    shuts down all connections to the daemon unnoticed, prints "severed"
///     severandstop                             the same, and stops the process
///     quit                                     returns from main
final class Script: Sendable {
    private struct State {
        var ends: [DispatchSemaphore] = []
        var presenters: [Presenter] = []
        var offers: [Offer] = []
    }

    private let state = Lock(State())

    static func say(_ line: String) {
        let bytes = Array((line.replacingOccurrences(of: "\n", with: " ") + "\n").utf8)
        // A test that has ended no longer reads, so the result is ignored.
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "quit" { return }
            perform(words)
        }
    }

    private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

    private func perform(_ words: [String]) {
        switch words.first {
        case "read", "write", "delete": hold(words[0], url(words[1]))
        case "end": state.withLock { $0.ends.popLast() }?.signal()
        case "move": move(url(words[1]), url(words[2]))
        case "replace":
            background { [self] in
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url(words[1]), error: nil) {
                    try? Data(words[2].utf8).write(to: $0)
                }
                Self.say("replaced")
            }
        case "contents":
            background { [self] in
                var error: NSError?
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url(words[1]), error: &error) {
                    Self.say("contents \((try? String(contentsOf: $0, encoding: .utf8)) ?? "none")")
                }
                if let error { Self.say("failed \(error.localizedDescription)") }
            }
        case "present", "obstinate", "saving", "wordy":
            let presenter = Presenter(url(words[1]), words[0], text: words.count > 2 ? words[2] : "")
            NSFileCoordinator.addFilePresenter(presenter)
            state.withLock { $0.presenters.append(presenter) }
            Self.say("presenting")
        case "presentnothing":
            let presenter = Presenter(nil, words[0], text: "")
            NSFileCoordinator.addFilePresenter(presenter)
            state.withLock { $0.presenters.append(presenter) }
            Self.say("presenting")
        case "shift":
            state.withLock { $0.presenters.last }?.shift(to: url(words[1]))
            Self.say("shifted")
        case "purpose":
            background { [self] in
                var error: NSError?
                let coordinator = NSFileCoordinator(filePresenter: nil)
                coordinator.purposeIdentifier = String(repeating: "p", count: Int(words[1]) ?? 0)
                coordinator.coordinate(readingItemAt: url(words[2]), error: &error) { _ in Self.say("read") }
                if let error { Self.say("failed \(error.localizedDescription)") }
            }
        case "sever":
            Connections.sever()
            Self.say("severed")
        case "severandstop":
            Connections.sever()
            raise(SIGSTOP)
        case "absent":
            let presenters = state.withLock { state in
                defer { state.presenters = [] }
                return state.presenters
            }
            for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) }
            Self.say("absent")
        case "count": count(Int(words[1]) ?? 0, url(words[2]))
        case "flood": flood(Int(words[1]) ?? 0, words[2])
        case "nest": nest(url(words[1]), url(words[2]))
        case "offer": offer(url(words[1]), words[2])
        case "load": load(words[1], words[2])
        case "loadfolder": loadFolder(words[1], words[2], url(words[3]))
        case "version", "resolve", "discard": change(words)
        default: Self.say("unknown command \(words)")
        }
    }

    private func background(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

    private func hold(_ kind: String, _ url: URL) {
        let end = DispatchSemaphore(value: 0)
        let intent: NSFileAccessIntent =
            switch kind {
            case "read": .readingIntent(with: url)
            case "delete": .writingIntent(with: url, options: .forDeleting)
            default: .writingIntent(with: url)
            }
        // The URL is read only in the accessor, as NSFileAccessIntent requires.
        nonisolated(unsafe) let granted = intent
        NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: OperationQueue()) { [self] error in
            if let error { return Self.say("failed \(error.localizedDescription)") }
            state.withLock { $0.ends.append(end) }
            Self.say("granted \(granted.url.path)")
            end.wait()
            if kind == "delete" { try? FileManager.default.removeItem(at: granted.url) }
            Self.say("ended")
        }
        Self.say("asked")
    }

    private func move(_ source: URL, _ destination: URL) {
        background {
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: source, options: .forMoving, writingItemAt: destination, options: .forReplacing,
                error: nil
            ) { try? FileManager.default.moveItem(at: $0, to: $1) }
            Self.say("moved")
        }
    }

    private func count(_ times: Int, _ url: URL) {
        background {
            for _ in 0..<times {
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: nil) { url in
                    let number = (try? String(contentsOf: url, encoding: .utf8)).flatMap { Int($0) } ?? 0
                    try? Data("\(number + 1)".utf8).write(to: url)
                }
            }
            Self.say("counted")
        }
    }

    private func flood(_ count: Int, _ folder: String) {
        let shared = Shared(left: count)
        let queue = OperationQueue()
        for number in 0..<count {
            let intent = NSFileAccessIntent.writingIntent(with: url("\(folder)/\(number % 50)"))
            NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: queue) { error in
                if let error { Self.say("failed \(error)") }
                if shared.countDown() { Self.say("flooded") }
            }
        }
    }

    private func nest(_ outer: URL, _ inner: URL) {
        background { [self] in
            var error: NSError?
            let end = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: outer, error: nil) { _ in
                state.withLock { $0.ends.append(end) }
                Self.say("outer")
                end.wait()
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: inner, error: &error) { _ in }
            }
            Self.say(error.map { "failed \($0.localizedDescription)" } ?? "nested")
        }
    }

    private func change(_ words: [String]) {
        background { [self] in
            let url = url(words[1])
            do {
                switch words[0] {
                case "version":
                    let contents = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
                    defer { try? FileManager.default.removeItem(at: contents) }
                    let file = contents.appendingPathComponent("contents")
                    try Data(words[2].utf8).write(to: file)
                    _ = try NSFileVersion.addConflict(
                        ofItemAt: url, withContentsOf: file, savedOn: "elsewhere", options: .byMoving)
                    Self.say("added")
                case "resolve":
                    for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
                        version.isResolved = true
                    }
                    Self.say("resolved")
                default:
                    try NSFileVersion.removeOtherVersionsOfItem(at: url)
                    Self.say("discarded")
                }
            } catch {
                Self.say("failed \(error)")
            }
        }
    }

    private func offer(_ url: URL, _ kind: String) {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(
            forTypeIdentifier: Self.type(of: url), fileOptions: kind == "in-place" ? .openInPlace : [], visibility: .all
        ) { completion in
            completion(url, kind == "coordinated", nil)
            return nil
        }
        Board("board").offer(provider) { [self] result in
            switch result {
            case .success(let offer):
                state.withLock { $0.offers.append(offer) }
                Self.say("offered")
            case .failure(let error): Self.say("failed \(error)")
            }
        }
    }

    private static func type(of url: URL) -> String {
        (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true ? "public.folder" : "public.data"
    }

    private func withItem(_ board: String, _ body: @escaping @Sendable (NSItemProvider) -> Void) {
        Board(board).items { result in
            guard let item = (try? result.get())?.first else { return Self.say("failed nothing offered") }
            body(item)
        }
    }

    private func load(_ board: String, _ way: String) {
        @Sendable func loaded(_ data: Data?, _ error: (any Error)?) {
            Self.say(
                data.map { "loaded \(String(decoding: $0, as: UTF8.self))" } ?? "failed \(String(describing: error))")
        }
        withItem(board) { item in
            if way == "copy" {
                _ = item.loadFileRepresentation(forTypeIdentifier: "public.data") { url, error in
                    loaded(url.flatMap { try? Data(contentsOf: $0) }, error)
                }
            } else {
                _ = item.loadDataRepresentation(forTypeIdentifier: "public.data", completionHandler: loaded)
            }
        }
    }

    private func loadFolder(_ board: String, _ way: String, _ destination: URL) {
        @Sendable func finish(_ body: () throws -> Void) {
            do {
                try body()
                Self.say("loaded")
            } catch {
                Self.say("failed \(error)")
            }
        }
        withItem(board) { item in
            if way == "copy" {
                _ = item.loadFileRepresentation(forTypeIdentifier: "public.folder") { url, error in
                    finish {
                        guard let url else { throw error ?? CocoaError(.fileReadUnknown) }
                        try FileManager.default.moveItem(at: url, to: destination)
                    }
                }
            } else {
                _ = item.loadDataRepresentation(forTypeIdentifier: "public.folder") { data, error in
                    finish {
                        guard let data else { throw error ?? CocoaError(.fileReadUnknown) }
                        try data.write(to: destination)
                    }
                }
            }
        }
    }
}

private final class Shared: Sendable {
    private let left: Lock<Int>

    init(left: Int) { self.left = Lock(left) }

    func countDown() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

/// A presenter that reports its notifications to the test.
private final class Presenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: mutable state is protected by a lock.
    private let url: Lock<URL?>
    private let kind: String
    private let text: String
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL?, _ kind: String, text: String) {
        self.url = Lock(url)
        self.kind = kind
        self.text = text
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    /// Presents another item from now on, without announcing it.
    func shift(to newURL: URL) { url.withLock { $0 = newURL } }

    private static let kept = Lock<[@Sendable () -> Void]>([])

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        Script.say("told to reader")
        reader { Script.say("told from reader") }
    }
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        Script.say("told to writer")
        // Kept, so that the handler is neither called nor released.
        if kind == "obstinate" { return Self.kept.withLock { $0.append { writer(nil) } } }
        writer { Script.say("told from writer") }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        if kind == "wordy" {
            let words = String(repeating: "words ", count: 3_000_000)
            return completionHandler(NSError(domain: "peer", code: 1, userInfo: [NSLocalizedDescriptionKey: words]))
        }
        if kind == "saving", let url = presentedItemURL {
            NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, error: nil) {
                try? Data(text.utf8).write(to: $0)
            }
        }
        Script.say("told save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Script.say("told deletion")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        Script.say("told moved to \(newURL.lastPathComponent)")
    }
    func presentedItemDidChange() { Script.say("told changed") }
    private func tell(_ deed: String, _ version: NSFileVersion) {
        let text = try? String(contentsOf: version.url, encoding: .utf8)
        Script.say("told \(deed) \(text ?? "nothing") of \(version.localizedNameOfSavingComputer ?? "nobody")")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { tell("gained", version) }
    func presentedItemDidLose(_ version: NSFileVersion) { tell("lost", version) }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { tell("resolved", version) }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { tell("in \(url.lastPathComponent)", version) }
    func presentedSubitemDidChange(at url: URL) { Script.say("told subitem \(url.lastPathComponent) changed") }
}
