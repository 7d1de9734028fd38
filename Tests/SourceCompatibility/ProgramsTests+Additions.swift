import Foundation
import Testing
import UniformTypeIdentifiers

/// Declarations that Foundation, Dispatch and os have on Apple's platforms.
extension ProgramsTests {
    @Test func filesThatImportOneFrameworkHaveFoundation() throws {
        let fetcher = RemoteFetcher()
        #expect(fetcher.identifier(Data("id".utf8)).rawValue == "id")
        #expect(fetcher.parse(Data("<a><b/></a>".utf8)) == ["a", "b"])
        let file = try TemporaryFile("p.png", Pixel.png)
        let kinds = try kinds(ofItemsIn: file.url.deletingLastPathComponent())
        #expect(kinds["p.png"] == .png)
    }

    @Test func telemetryIsWrittenAndCounted() {
        let telemetry = Telemetry()
        #expect(telemetry.record(300) == 1)
        #expect(telemetry.record(5) == 2)
        #expect(Telemetry.signposter.withIntervalSignpost("around") { 3 } == 3)
    }

    @Test func observersThatWentAreNotCalled() {
        final class Observer: NSObject, ListObserver {
            var changes = 0
            func listDidChange() { changes += 1 }
        }
        let list = ObservedList()
        let observer = Observer()
        list.add(observer)
        list.add(observer)
        do {
            let gone = Observer()
            list.add(gone)
            list.name(gone, "gone")
            #expect(list.object("gone") === gone)
        }
        list.name(observer, "here")
        list.change()
        list.remove(observer)
        list.change()
        #expect(observer.changes == 1)
        #expect(list.object("here") === observer && list.object("gone") == nil)
    }

    @Test func smallPartsOfFoundationAreThere() throws {
        #expect(try Additions.caches().lastPathComponent == "com.example")
        let file = try TemporaryFile("a.txt", Data("contents".utf8))
        #expect(try Additions.read(file.url) == Data("contents".utf8))
        let cause = CocoaError(.fileNoSuchFile)
        let error = NSError(domain: "D", code: 7, userInfo: [NSUnderlyingErrorKey: cause])
        #expect(Additions.causes(error).map { ($0 as NSError).code } == [cause.code.rawValue])
        #expect(Additions.noError().code == 0)
        #expect(Additions.deadline() > .now())
        #expect(Additions.describe(3, error).hasPrefix("3 items: Error Domain=D Code=7"))
        let parent = Progress(totalUnitCount: 10)
        #expect(try Additions.work(parent) == 1_000)
        #expect(parent.fractionCompleted == 0.5)
    }

    @Test func aMonitoredFileTellsOfItsChanges() async throws {
        let file = try TemporaryFile("a.txt", Data("a".utf8))
        let (events, continuation) = AsyncStream<UInt>.makeStream()
        let monitor = try #require(FileMonitor(file.url) { continuation.yield($0.rawValue) })
        let handle = try FileHandle(forWritingTo: file.url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        var changes = events.makeAsyncIterator()
        let written = DispatchSource.FileSystemEvent(rawValue: await changes.next() ?? 0)
        #expect(written.contains(.write) && written.contains(.extend))
        try FileManager.default.removeItem(at: file.url)
        var seen: DispatchSource.FileSystemEvent = []
        while !seen.contains(.delete), let next = await changes.next() { seen.formUnion(.init(rawValue: next)) }
        #expect(seen.contains(.delete))
        withExtendedLifetime(monitor) {}
    }
}
