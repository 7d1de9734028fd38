import FileProvider
import Foundation
import LinuxSystem

/// A wait for changes that a provider makes before it performs a change. The file `waits` in the test's directory has a
/// line for each wait: the name of the changed item, the code that waits, the target of the wait, and the number of
/// waits that the process must have begun before this one continues. The outcomes are appended to the file `waited`.
struct WaitInside: Sendable {
    enum Code: String, CaseIterable {
        /// The request's thread, with a completion handler.
        case handler
        /// A task that the request's thread starts.
        case task
        /// A separate dispatch queue of the provider.
        case queue
        /// An operation queue, as `URLSession` uses for its handlers.
        case operations
    }

    private enum Target: String {
        case item
        case root
        case all
    }

    private let name: String
    private let code: Code
    private let target: Target
    private let crowd: Int
    private let folder: String
    private let manager: NSFileProviderManager

    // Leaf lock.
    private static let begun = Lock(0)

    /// Reads the wait for a change of the item with the given name; `nil` if the file has no line for the item.
    init?(named name: String, in folder: String, _ manager: NSFileProviderManager?) {
        let lines = (try? String(contentsOfFile: folder + "/waits", encoding: .utf8))?.split(separator: "\n") ?? []
        guard let words = lines.map({ $0.split(separator: " ") }).first(where: { $0.first.map(String.init) == name }),
            words.count == 4, let manager, let code = Code(rawValue: String(words[1])),
            let target = Target(rawValue: String(words[2])), let crowd = Int(words[3])
        else { return nil }
        (self.name, self.code, self.target, self.crowd) = (name, code, target, crowd)
        (self.folder, self.manager) = (folder, manager)
    }

    /// Waits, and calls `perform` afterwards, on any thread.
    ///
    /// - Parameter item: The identifier of the changed item; `nil` if the system gave none.
    func begin(for item: NSFileProviderItemIdentifier?, then perform: @escaping @Sendable () -> Void) {
        note("begins")
        Self.begun.withLock { $0 += 1 }
        let end: @Sendable ((any Error)?) -> Void = { error in
            note(error.map { "\(($0 as NSError).code)" } ?? "waited")
            perform()
        }
        let ask: @Sendable () -> Void = {
            while Self.begun.withLock({ $0 }) < crowd { usleep(1000) }
            switch target {
            case .all: manager.waitForStabilization(completionHandler: end)
            case .root: manager.waitForChanges(below: .rootContainer, completionHandler: end)
            case .item: manager.waitForChanges(below: item ?? .rootContainer, completionHandler: end)
            }
        }
        switch code {
        case .handler: ask()
        case .queue: DispatchQueue(label: "waits").async(execute: ask)
        case .operations: OperationQueue().addOperation(ask)
        case .task:
            Task {
                do {
                    switch target {
                    case .all: try await manager.waitForStabilization()
                    case .root: try await manager.waitForChanges(below: .rootContainer)
                    case .item: try await manager.waitForChanges(below: item ?? .rootContainer)
                    }
                    end(nil)
                } catch {
                    end(error)
                }
            }
        }
    }

    /// Blocks the calling thread until the wait has ended.
    func perform(for item: NSFileProviderItemIdentifier?) {
        let isOver = DispatchSemaphore(value: 0)
        begin(for: item) { isOver.signal() }
        isOver.wait()
    }

    private func note(_ word: String) {
        guard let file = try? FileDescriptor.open(folder + "/waited", [.writeOnly, .create, .append]) else { return }
        try? Array("\(name) \(word)\n".utf8).withUnsafeBytes { try file.writeAll($0) }
    }
}
