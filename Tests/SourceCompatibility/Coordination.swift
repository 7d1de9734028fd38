// swift-format-ignore-file

import Foundation

/// A note that is shown while other programs change its file, as in many document classes.
final class PresentedNote: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: it is used on the main queue only.
    var presentedItemURL: URL?
    lazy var presentedItemOperationQueue: OperationQueue = OperationQueue.main

    private(set) var text = ""
    private(set) var events: [String] = []
    private var hasChanges = false

    init(url: URL) {
        presentedItemURL = url
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    deinit {
        NSFileCoordinator.removeFilePresenter(self)
    }

    func edit(_ text: String) {
        self.text = text
        hasChanges = true
    }

    func load() throws {
        guard let url = presentedItemURL else { return }
        var coordinationError: NSError?
        var readError: Error?
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: &coordinationError) { (newURL) in
            do {
                self.text = try String(contentsOf: newURL, encoding: .utf8)
            } catch let error {
                readError = error
            }
        }
        if let error = coordinationError { throw error }
        if let error = readError { throw error }
    }

    func save() -> Error? {
        guard hasChanges, let url = presentedItemURL else { return nil }
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, options: [.forReplacing], error: &failure, byAccessor: { url in
            try? text.write(to: url, atomically: true, encoding: .utf8)
        })
        hasChanges = failure != nil
        return failure
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        events.append("reader")
        reader { [weak self] in self?.events.append("reader has read") }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        events.append("writer")
        writer({
            self.events.append("writer has written")
            try? self.load()
        })
    }

    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        events.append("save")
        completionHandler(save())
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        events.append("deletion")
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) {
        presentedItemURL = newURL
        events.append("moved to " + newURL.lastPathComponent)
    }

    func presentedItemDidChange() {
        events.append("changed")
    }

    func presentedItemDidGain(_ version: NSFileVersion) {
        events.append(version.isConflict ? "conflict" : "version")
    }
}

#if !swift(>=6)
/// The signatures from before closures were sendable, which the older language mode treats as the same.
final class OlderPresenter: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    var presentedItemOperationQueue = OperationQueue.main
    private(set) var events: [String] = []

    init(url: URL) {
        presentedItemURL = url
    }

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        events.append("reader")
        reader({ self.events.append("reader has read") })
    }

    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        events.append("writer")
        writer(nil)
    }

    func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
        events.append("save")
        completionHandler(nil)
    }
}
#endif

/// A presenter of a directory that implements only the required members.
final class PresentedFolder: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
    var didChange: ((String) -> Void)?

    init(_ url: URL) {
        presentedItemURL = url
    }

    func presentedSubitemDidChange(at url: URL) {
        didChange?(url.lastPathComponent)
    }
}

/// The ways in which programs use coordinators.
enum Coordination {
    static func read(_ url: URL) throws -> Data {
        var result: Result<Data, Error>?
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, options: [], error: &error) { url in
            result = Result { try Data(contentsOf: url) }
        }
        if let error = error { throw error }
        return try result!.get()
    }

    /// Reads and empties a queue file while no other process uses it. The file is not deleted.
    static func drain(_ url: URL) -> [String] {
        var lines: [String] = []
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, options: .forDeleting, error: nil) { url in
            lines = (try? String(contentsOf: url, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
            try? Data().write(to: url)
        }
        return lines
    }

    static func move(_ source: URL, to destination: URL) throws {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var coordinatorError: NSError?
        var moveError: Error?
        coordinator.coordinate(writingItemAt: source, options: .forMoving, writingItemAt: destination, options: .forReplacing, error: &coordinatorError) { from, to in
            do {
                coordinator.item(at: from, willMoveTo: to)
                try FileManager.default.moveItem(at: from, to: to)
                coordinator.item(at: from, didMoveTo: to)
            } catch {
                moveError = error
            }
        }
        if let error = coordinatorError ?? moveError as NSError? { throw error }
    }

    /// Archives a directory, as a mail program attaches it.
    static func archive(_ folder: URL, into directory: URL) -> URL? {
        var archive: URL?
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: folder, options: [.forUploading], error: &error) { zipURL in
            let target = directory.appendingPathComponent(zipURL.lastPathComponent)
            guard (try? FileManager.default.copyItem(at: zipURL, to: target)) != nil else { return }
            archive = target
        }
        return error == nil ? archive : nil
    }

    static func copy(_ source: URL, to destination: URL, completion: @escaping @Sendable (Error?) -> Void) {
        let queue = OperationQueue()
        let readingIntent = NSFileAccessIntent.readingIntent(with: source, options: [])
        let writingIntent = NSFileAccessIntent.writingIntent(with: destination, options: .forReplacing)
        NSFileCoordinator().coordinate(with: [readingIntent, writingIntent], queue: queue) { error in
            if let error = error {
                completion(error)
                return
            }
            completion(nil)
        }
    }
}
