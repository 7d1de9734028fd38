// swift-format-ignore-file

import Foundation
import os.lock
import os.log

/// Small parts of Foundation and Dispatch that programs for Apple's platforms take for granted.
protocol ListObserver: AnyObject {
    func listDidChange()
}

final class ObservedList {
    private let observers = NSHashTable<AnyObject>.weakObjects()
    private let names = NSMapTable<NSString, NSObject>.strongToWeakObjects()

    func add(_ observer: ListObserver) { observers.add(observer) }
    func remove(_ observer: ListObserver) { observers.remove(observer) }

    func change() {
        for case let observer as ListObserver in observers.allObjects { observer.listDidChange() }
    }

    func name(_ object: NSObject, _ name: String) { names.setObject(object, forKey: name as NSString) }
    func object(_ name: String) -> NSObject? { names.object(forKey: name as NSString) }
}

enum Additions {
    static func caches() throws -> URL {
        let folder = URL.cachesDirectory.appendingPathComponent("com.example", isDirectory: true)
        return folder
    }

    static func read(_ url: URL) throws -> Data {
        try Data(contentsOf: url, options: [.mappedRead, .uncachedRead])
    }

    static func causes(_ error: Error) -> [Error] { (error as NSError).underlyingErrors }

    static func noError() -> NSError { NSError() }

    static func deadline() -> DispatchTime { DispatchTime.now().advanced(by: .milliseconds(1)) }

    static func describe(_ count: NSNumber, _ error: NSError) -> String {
        String(format: "%@ items: %@", count, error)
    }

    static func work(_ parent: Progress) throws -> Int {
        try parent.performAsCurrent(withPendingUnitCount: 5) {
            let child = Progress(totalUnitCount: 1)
            child.throughput = 1_000
            child.estimatedTimeRemaining = 2
            child.fileTotalCount = 3
            child.fileCompletedCount = 1
            child.completedUnitCount = 1
            return try autoreleasepool { child.throughput ?? 0 }
        }
    }
}

/// A monitor of a file, as in many programs.
final class FileMonitor {
    private let source: DispatchSourceFileSystemObject

    init?(_ url: URL, _ changed: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void) {
        let descriptor = open(url.path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete], queue: DispatchQueue(label: "monitor"))
        self.source = source
        let handled = UnsafeSource(source: source)
        source.setEventHandler { changed(handled.source.data) }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }
}

private struct UnsafeSource: @unchecked Sendable {
    let source: DispatchSourceFileSystemObject
}
