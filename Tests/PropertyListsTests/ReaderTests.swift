import AppExtension
import Exchange
import FileCoordination
import Foundation
import PropertyLists
import TestThreads
import Testing

/// The functions that read untrusted property lists, each with a list that would take all memory.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ReaderTests {
    private let hostile = ForeignPropertyListTests.chain(depth: 40, width: 2)

    /// Runs a function with a directory that has the list as its `Info.plist`.
    private func withBundle(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/purvey-test-\(UUID().uuidString).appex"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try hostile.write(to: URL(fileURLWithPath: folder + "/Info.plist"))
        try body(folder)
    }

    @Test func aBundleIsRefusedWithAReason() throws {
        try withBundle { folder in
            let inspection = BundleInspection(path: folder)
            #expect(inspection.record == nil)
            #expect(inspection.faults.contains { $0.contains("not a property list") })
        }
    }

    @Test func anExtensionIsRefusedWithAReason() throws {
        try withBundle { folder in
            #expect(ExtensionInspection(path: folder).faults.contains { $0.contains("not a property list") })
        }
    }

    @Test func aRecordIsDamaged() {
        #expect(BundleRecord(propertyList: hostile) == nil)
    }

    @Test func aFileWrapperIsNotMade() {
        #expect(FileWrapper(serializedRepresentation: hostile) == nil)
    }
}
