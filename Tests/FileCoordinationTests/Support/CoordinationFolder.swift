import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A directory for one test of coordination within this process, removed with its contents afterwards.
final class CoordinationFolder: Sendable {
    let url: URL

    /// Set before the first coordinator exists. No test of this module needs the daemon, and a busy machine may be
    /// slow to run a presenter.
    static let isWithinProcess: Bool =
        setenv("PURVEY_COORDINATION", "process", 1) == 0 && setenv("PURVEY_PRESENTER_TIME_LIMIT", "600", 0) == 0

    init() throws {
        try #require(Self.isWithinProcess)
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        url = folder.appendingPathComponent("purvey-coordination-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ text: String = "text") throws -> URL {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file
    }

    subscript(name: String) -> URL { url.appendingPathComponent(name) }
}

/// Events in their order, recorded on any thread.
final class Record: Sendable {
    private let entries = Lock<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
    func contains(_ entry: String) -> Bool { all.contains(entry) }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Lock<Value>

    init(_ value: Value) { self.value = Lock(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}

/// Runs a blocking function on a thread of its own, and waits for it without blocking.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Waits until a condition holds, and records an issue if it never does.
func eventually(_ isTrue: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    // Counts attempts rather than time, because a busy machine may run no task for long.
    for _ in 0..<150_000 {
        if isTrue() { return }
        try? await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("it did not become true", sourceLocation: sourceLocation)
}

/// A presenter that records its notifications and answers at once.
final class RecordingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: mutable state is protected by locks.
    let name: String
    let record: Record
    let presentedItemOperationQueue = OperationQueue()
    private let url: Lock<URL?>
    private let save: (@Sendable () -> (any Error)?)?

    init(_ url: URL?, _ record: Record, name: String = "", save: (@Sendable () -> (any Error)?)? = nil) {
        self.url = Lock(url)
        self.record = record
        self.name = name
        self.save = save
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        super.init()
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    private func note(_ words: String) { record.add(name.isEmpty ? words : "\(name) \(words)") }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("to reader")
        reader { [self] in note("from reader") }
    }
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("to writer")
        writer { [self] in note("from writer") }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("save")
        completionHandler(save?())
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("deletion")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note("deletion of \(url.lastPathComponent)")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        note("moved to \(newURL.lastPathComponent)")
    }
    func presentedItemDidChange() { note("changed") }
    func presentedSubitemDidChange(at url: URL) { note("subitem \(url.lastPathComponent) changed") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) { note("attributes") }
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [.nameKey] }
    private func note(_ deed: String, _ version: NSFileVersion) {
        let text = (try? String(contentsOf: version.url, encoding: .utf8)) ?? "nothing"
        note("\(deed) \(version.localizedName ?? ""): \(version.hasLocalContents ? text : "gone")")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gained", version) }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lost", version) }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        note(version.isConflict && version.isResolved ? "resolved" : "not resolved", version)
    }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        note("\(url.lastPathComponent) gained", version)
    }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        note("\(url.lastPathComponent) lost", version)
    }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("\(url.lastPathComponent) resolved", version)
    }
}
