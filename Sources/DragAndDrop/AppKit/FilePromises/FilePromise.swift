import Dispatch
import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// A promised file, in the process that promises it.
///
/// Sendable because provider and delegate are used on the main thread, except for the writing itself, which runs on
/// the queue that the delegate chooses.
final class FilePromise: @unchecked Sendable {
    typealias Completion = @Sendable (Result<URL, any Error>) -> Void

    /// The pasteboard type whose data is the type identifier of the promised file.
    static let contentType = NSPasteboard.PasteboardType("com.apple.pasteboard.promised-file-content-type")

    let fileType: String
    private let provider: NSFilePromiseProvider
    private let patience: PromisePatience

    /// Creates a promise; `nil` for a provider without a file type.
    init?(_ provider: NSFilePromiseProvider, _ patience: PromisePatience) {
        guard !provider.fileType.isEmpty else { return nil }
        fileType = provider.fileType
        self.provider = provider
        self.patience = patience
    }

    /// Asks the delegate to write the file into a directory, under a name that no file there has.
    ///
    /// Blocks until the main thread has called the delegate.
    ///
    /// - Parameter completion: called once, on any thread, with the file or an error.
    func write(into folder: URL, completion: @escaping Completion) {
        let answer = PromiseAnswer(completion)
        let isAsked = MainThread.perform(within: patience.forAnswers) { self.ask(toWriteInto: folder, answer) }
        guard isAsked else { return answer.settle(.failure(FilePromiseError.unanswered(fileType))) }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience.forFiles) { [weak answer, fileType] in
            answer?.settle(.failure(FilePromiseError.unanswered(fileType)))
        }
    }

    /// Asks the delegate to write the file. Runs on the main thread.
    private func ask(toWriteInto folder: URL, _ answer: PromiseAnswer) {
        guard let delegate = provider.delegate else {
            return answer.settle(.failure(FilePromiseError.noDelegate(fileType)))
        }
        let suggested = delegate.filePromiseProvider(provider, fileNameForType: fileType)
        let name = ItemName.name(suggested: suggested, file: nil, typeIdentifier: fileType)
        guard let url = Self.freePlace(for: name, in: folder) else {
            return answer.settle(.failure(FilePromiseError.noPlace(name, folder)))
        }
        let queue = delegate.operationQueue(for: provider)
        let write: @Sendable () -> Void = {
            guard let delegate = self.provider.delegate else {
                return answer.settle(.failure(FilePromiseError.noDelegate(self.fileType)))
            }
            delegate.filePromiseProvider(self.provider, writePromiseTo: url) { error in
                answer.settle(Self.outcome(url, error))
            }
        }
        if queue === OperationQueue.main { MainThread.schedule(write) } else { queue.addOperation(write) }
    }

    private static func outcome(_ url: URL, _ error: (any Error)?) -> Result<URL, any Error> {
        if let error { return .failure(error) }
        guard (try? FileStatus.of(url.path)) != nil else { return .failure(FilePromiseError.notWritten(url)) }
        return .success(url)
    }

    /// Returns a representation whose data is the file that `supply` passes to its completion handler.
    func representation(
        _ supply: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Void
    ) -> Representation {
        .file(fileType, visibility: .all, fileOptions: []) { completion in
            supply(completion)
            return nil
        }
    }

    /// Writes the file into a temporary directory for a consumer, which loads it as the contents of the item.
    func supply(_ completion: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void) {
        do {
            let folder = try LoadFolder()
            write(into: URL(fileURLWithPath: folder.path, isDirectory: true)) { result in
                switch result {
                case .success(let url): completion(url, false, nil)
                case .failure(let error): completion(nil, false, error)
                }
                // The consumer has opened the file by now.
                folder.remove()
            }
        } catch {
            completion(nil, false, error)
        }
    }
}

// MARK: - Names

extension FilePromise {
    /// The number of names that are tried before the write fails.
    private static let mostNames = 10_000

    /// Returns the names to try for a file, one after the other: `a.txt`, `a 2.txt`, `a 3.txt`, …
    static func names(for name: String) -> some Sequence<String> {
        let whole = name as NSString
        let ending = whole.pathExtension.isEmpty ? "" : "." + whole.pathExtension
        let stem = whole.deletingPathExtension
        return (1...mostNames).lazy.map { number in
            if number == 1 { return name }
            let room = ItemName.maximumLength - " \(number)\(ending)".utf8.count
            var stem = stem
            while stem.utf8.count > room, !stem.isEmpty { stem.removeLast() }
            return "\(stem) \(number)\(ending)"
        }
    }

    private static func freePlace(for name: String, in folder: URL) -> URL? {
        names(for: name).lazy.map { folder.appendingPathComponent($0, isDirectory: false) }.first { url in
            var status = stat()
            return lstat(url.path, &status) != 0 && errno == ENOENT
        }
    }
}

/// The timeouts of file promises.
struct PromisePatience: Sendable {
    /// The timeout for the main thread, on which the delegate returns the file's name.
    let forAnswers: DispatchTimeInterval
    /// The timeout for the writing of a file.
    let forFiles: DispatchTimeInterval
}

/// A completion that is called only once: by the delegate, after the timeout, or when the last reference is released.
private final class PromiseAnswer: Sendable {
    // Leaf lock: the completion runs after it is released.
    private let completion: Lock<FilePromise.Completion?>

    init(_ completion: @escaping FilePromise.Completion) { self.completion = Lock(completion) }

    deinit { settle(.failure(FilePromiseError.abandoned())) }

    func settle(_ result: Result<URL, any Error>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}

/// The errors of file promises, in addition to errors of their delegates.
enum FilePromiseError {
    static func noDelegate(_ fileType: String) -> NSError {
        make("There is no delegate to write the promised file of type \(fileType)")
    }

    static func unanswered(_ fileType: String) -> NSError {
        make("The promised file of type \(fileType) was not written in time")
    }

    static func abandoned() -> NSError {
        make("The promised file's delegate gave up its completion handler without a call")
    }

    static func notWritten(_ url: URL) -> NSError { make("The promised file \(url.path) was not written") }

    static func noPlace(_ name: String, _ folder: URL) -> NSError {
        make("There is no place for \(name) in \(folder.path)")
    }

    static func notAFolder(_ url: URL) -> NSError {
        make("\(url.absoluteString) is not a folder that can be written to")
    }

    static func noPromise() -> NSError { make("The item promises no file, or not any more") }

    private static func make(_ description: String) -> NSError {
        ItemProviderError.make(.itemUnavailableError, description)
    }
}
