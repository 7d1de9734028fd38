import Foundation
import FoundationAdditions
import Testing

@Suite struct ObjectArgumentTests {
    private final class Named: NSObject {
        override var description: String { "a name" }
    }

    @Test func anyObjectCanBeFormatted() {
        #expect(String(format: "%@ of %@", 3 as NSNumber, NSNumber(value: 2.5)) == "3 of 2.5")
        #expect(
            String(format: "%@|%@|%@", "text" as NSString, NSMutableString(string: "more"), "plain")
                == "text|more|plain")
        #expect(String(format: "%@ %d", Named(), 4) == "a name 4")
        #expect(String(format: "%@", NSError(domain: "D", code: 2)).hasPrefix("Error Domain=D Code=2"))
        #expect(String(format: "%@", NSNull()) == "<null>")
        #expect(NSString(format: "%@", NSURL(fileURLWithPath: "/tmp")) as String == "file:///tmp/")
    }

    @Test func anErrorNamesAllThatItComesOf() {
        let (one, two) = (NSError(domain: "one", code: 1), CocoaError(.userCancelled))
        let error = NSError(
            domain: "D", code: 3,
            userInfo: [NSUnderlyingErrorKey: one, NSMultipleUnderlyingErrorsKey: [two] as [any Error]])
        #expect(error.underlyingErrors.map { ($0 as NSError).code } == [1, CocoaError.Code.userCancelled.rawValue])
        #expect(NSError(domain: "D", code: 3).underlyingErrors.isEmpty)
        #expect(NSError().domain == "" && NSError().code == 0)
    }

    @Test func olderNamesOfOptionsAreTheOptions() {
        #expect(
            Data.ReadingOptions.dataReadingMapped == .mappedIfSafe && Data.ReadingOptions.mappedRead == .mappedIfSafe)
        #expect(Data.ReadingOptions.uncachedRead == .uncached && Data.WritingOptions.atomicWrite == .atomic)
        #expect(Data.ReadingOptions.dataReadingMappedAlways == .alwaysMapped)
        #expect(Data.WritingOptions.dataWritingAtomic == .atomic)
    }

    @Test func foldersOfTheUserAreWhereTheyAre() {
        #expect(URL.documentsDirectory.isFileURL && URL.documentsDirectory.hasDirectoryPath)
        #expect(
            URL.cachesDirectory.path == FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.path
        )
        #expect(URL.applicationSupportDirectory.path != URL.cachesDirectory.path)
        #expect(URL.trashDirectory.path.hasSuffix("/Trash/files"))
        let all: [URL] = [
            .applicationDirectory, .desktopDirectory, .downloadsDirectory, .libraryDirectory, .moviesDirectory,
            .musicDirectory, .picturesDirectory, .sharedPublicDirectory, .userDirectory,
        ]
        #expect(Set(all).count == all.count && all.allSatisfy { $0.path.hasPrefix("/") })
    }

    @Test func timesAreAdvancedAndCompared() {
        let now = DispatchTime.now()
        let later = now.advanced(by: .milliseconds(3))
        #expect(now.distance(to: later) == .nanoseconds(3_000_000))
        #expect(later.distance(to: now) == .nanoseconds(-3_000_000))
        #expect(now.distance(to: .distantFuture) == .never)
        #expect(
            DispatchWallTime(timespec: timespec(tv_sec: 5, tv_nsec: 0)).advanced(by: .seconds(1))
                == DispatchWallTime(timespec: timespec(tv_sec: 6, tv_nsec: 0)))
    }

    @Test func aProgressSaysWhatItKnowsOfFiles() {
        let progress = Progress(totalUnitCount: 2)
        #expect(progress.throughput == nil && progress.fileURL == nil && progress.fileOperationKind == nil)
        progress.fileOperationKind = .copying
        progress.fileURL = URL(fileURLWithPath: "/tmp/a")
        progress.fileTotalCount = 4
        progress.fileCompletedCount = 1
        progress.throughput = 10
        progress.estimatedTimeRemaining = 1.5
        #expect(progress.fileOperationKind == .copying && progress.fileURL?.path == "/tmp/a")
        #expect(progress.fileTotalCount == 4 && progress.fileCompletedCount == 1)
        #expect(progress.throughput == 10 && progress.estimatedTimeRemaining == 1.5)
        #expect(progress.userInfo[.fileTotalCountKey] as? Int == 4)
        progress.throughput = nil
        #expect(progress.throughput == nil)
    }

    @Test func workThatThrowsResignsTheCurrentProgress() {
        let parent = Progress(totalUnitCount: 4)
        #expect(throws: CocoaError.self) {
            try parent.performAsCurrent(withPendingUnitCount: 3) { throw CocoaError(.userCancelled) }
        }
        #expect(Progress.current() == nil)
        let value = parent.performAsCurrent(withPendingUnitCount: 1) { Progress.current() === parent }
        #expect(value && Progress.current() == nil)
    }

    @Test func aPoolGivesWhatItsBodyGivesAndThrows() {
        #expect(autoreleasepool { 3 } == 3)
        #expect(throws: CocoaError.self) { try autoreleasepool { throw CocoaError(.userCancelled) } }
    }
}
