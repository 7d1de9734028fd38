import ExtensionHost
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Testing

/// Security-scoped bookmarks in a confined process: the access that the daemon grants and refuses.
@Suite struct SecurityScopeTests {
    /// An extension that uses bookmarks, and a directory of its user outside its container.
    private struct Scene {
        let place: ExtensionFixture
        let process: Unruly
        let files: String
        var file: String { files + "/a.txt" }

        /// Expects that the process soon has as many descriptors as before. Descriptors that arrived with a reply are
        /// closed on a separate thread.
        func expectDescriptors(_ before: String?, sourceLocation: SourceLocation = #_sourceLocation) {
            for _ in 0..<600 where process.tell("descriptors") != before { usleep(50_000) }
            #expect(process.tell("descriptors") == before, sourceLocation: sourceLocation)
        }

        /// Returns a bookmark that a program of the user makes for the extension.
        func bookmark(
            _ path: String, readOnly: Bool = false, bundle: String? = "org.example.unruly", session: String? = nil
        ) throws -> String {
            let bookmark = try Bookmark(
                options: NSURL.BookmarkCreationOptions.withSecurityScope.rawValue, item: ResolvedItem(at: path),
                relativeTo: nil, scope: .init(bundle: bundle, isReadOnly: readOnly, session: session), values: [])
            return BookmarkSeal.seal(bookmark, try BookmarkKey(data: place.data)).base64EncodedString()
        }

        /// Resolves a bookmark in the extension and returns its path.
        func resolve(_ bookmark: String, _ state: String = "current") throws -> String {
            let answer = try #require(process.tell("resolve " + bookmark))
            try #require(answer.hasPrefix(state + " /"), "\(answer)")
            return String(answer.dropFirst(state.count + 1))
        }
    }

    private func run(_ body: (Scene) throws -> Void) throws {
        try ExtensionFixture.run { place in
            let files = place.root + "/files"
            try FileManager.default.createDirectory(atPath: files + "/folder", withIntermediateDirectories: true)
            try Data("text".utf8).write(to: URL(fileURLWithPath: files + "/a.txt"))
            try Data("inside".utf8).write(to: URL(fileURLWithPath: files + "/folder/b.txt"))
            let process = try place.start(product: "BookmarkExtension")
            try body(Scene(place: place, process: process, files: files))
            process.end()
            // The places that the daemon made for the extension are all removed.
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.data + "/scopes").isEmpty)
        }
    }

    private static let refused = "error \(CocoaError.Code.fileReadNoPermission.rawValue)"
    private static let corrupt = "error \(CocoaError.Code.fileReadCorruptFile.rawValue)"
    private static let missing = "error \(CocoaError.Code.fileNoSuchFile.rawValue)"

    @Test func aConfinedProcessUsesAFileWhileItHasAccessAndNotBeforeNorAfter() throws {
        try run { scene in
            #expect(scene.process.tell("read \(scene.file)")?.hasPrefix("error") == true)
            let path = try scene.resolve(scene.bookmark(scene.file))
            #expect(path.hasSuffix("/a.txt"))
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
            #expect(scene.process.tell("item \(path)") == "none")
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("read \(path)") == "text")
            #expect(scene.process.tell("item \(path)") == "text")
            #expect(scene.process.tell("append \(path)") == "done")
            #expect(try String(contentsOfFile: scene.file, encoding: .utf8) == "text+")
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
            #expect(scene.process.tell("item \(path)") == "none")
        }
    }

    @Test func usesNestAndTheDescriptorClosesWithTheLast() throws {
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.file))
            let before = scene.process.tell("descriptors")
            for _ in 0..<3 { #expect(scene.process.tell("start \(path)") == "yes") }
            for _ in 0..<2 { #expect(scene.process.tell("stop \(path)") == "done") }
            #expect(scene.process.tell("read \(path)") == "text")
            #expect(scene.process.tell("descriptors") != before)
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
            scene.expectDescriptors(before)
            // A superfluous stop does not reduce the next start's access.
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("read \(path)") == "text")
        }
    }

    @Test func usesOfManyThreadsBalance() throws {
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.file))
            let before = scene.process.tell("descriptors")
            #expect(scene.process.tell("race \(path)") == "all read")
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
            scene.expectDescriptors(before)
        }
    }

    @Test func readOnlyAccessIsToReadOnly() throws {
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.file, readOnly: true))
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("read \(path)") == "text")
            #expect(scene.process.tell("append \(path)")?.hasPrefix("error") == true)
            #expect(try String(contentsOfFile: scene.file, encoding: .utf8) == "text")
        }
    }

    @Test func aConfinedProcessCannotKeepAFileBeyondItsAccess() throws {
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.file))
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("keep \(path)") == "refused")
            #expect(scene.process.tell("remove \(path)")?.hasPrefix("error") == true)
            #expect(FileManager.default.fileExists(atPath: scene.file))
        }
    }

    @Test func aFolderIsThereAsACopyThatCanBeRead() throws {
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.files + "/folder"))
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("list \(path)") == "b.txt")
            #expect(scene.process.tell("read \(path)/b.txt") == "inside")
            #expect(scene.process.tell("append \(path)/b.txt")?.hasPrefix("error") == true)
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("list \(path)")?.hasPrefix("error") == true)
        }
    }

    /// Makes it impossible to remove entries of a directory, or possible again. The mode of a directory does not bind
    /// root.
    private static func setUnchangeable(_ folder: String, _ isUnchangeable: Bool) throws -> Bool {
        guard geteuid() == 0 else { return chmod(folder, isUnchangeable ? 0o500 : 0o700) == 0 }
        let change = ["chattr", isUnchangeable ? "+i" : "-i", folder]
        return try ChildProgram.start("/usr/bin/env", arguments: change, descriptors: []).wait() == .exited(0)
    }

    @Test func anEndThatCannotRemoveTheItemFailsAndTheNextAccessIsToTheItemAsItIsNow() throws {
        try run { scene in
            for item in [scene.files + "/folder", scene.file] {
                let path = try scene.resolve(scene.bookmark(item))
                let place = (path as NSString).deletingLastPathComponent
                #expect(scene.process.tell("start \(path)") == "yes")
                guard try Self.setUnchangeable(place, true) else {
                    if getenv("CI") != nil { Issue.record("no attribute of \(place) can be set") }
                    return
                }
                let end = scene.process.tell("end \(path)")
                #expect(try Self.setUnchangeable(place, false))
                #expect(end == "not ended")
                try Data("later".utf8).write(to: URL(fileURLWithPath: scene.files + "/folder/later.txt"))
                try Data("text, later".utf8).write(to: URL(fileURLWithPath: scene.file))
                #expect(scene.process.tell("start \(path)") == "yes")
                if item == scene.file {
                    #expect(scene.process.tell("read \(path)") == "text, later")
                } else {
                    #expect(scene.process.tell("list \(path)") == "b.txt later.txt")
                }
                #expect(scene.process.tell("end \(path)") == "ended")
                #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
                #expect(scene.process.tell("list \(path)")?.hasPrefix("error") == true)
            }
        }
    }

    @Test func aFileOfAnotherFileSystemIsThereAsACopyThatCanBeRead() throws {
        try run { scene in
            let file = "/dev/shm/purvey-test-\(UUID().uuidString)"
            defer { unlink(file) }
            guard (try? Data("far".utf8).write(to: URL(fileURLWithPath: file))) != nil,
                try FileStatus.of(file).identity.device != FileStatus.of(scene.place.data).identity.device
            else {
                if getenv("CI") != nil { Issue.record("/dev/shm is no other file system than \(scene.place.data)") }
                return
            }
            let path = try scene.resolve(scene.bookmark(file))
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("read \(path)") == "far")
            #expect(scene.process.tell("item \(path)") == "far")
            #expect(scene.process.tell("append \(path)")?.hasPrefix("error") == true)
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
        }
    }

    @Test func aProcessThatResolvesWithoutEndIsHeldToALimit() throws {
        try run { scene in
            var last = ""
            for number in 0...256 {
                let file = scene.files + "/\(number)"
                try Data().write(to: URL(fileURLWithPath: file))
                last = try #require(scene.process.tell("resolve " + (try scene.bookmark(file))))
            }
            #expect(last == Self.refused)
            // Bookmarks that were resolved before remain usable.
            let again = try scene.resolve(scene.bookmark(scene.files + "/0"))
            #expect(scene.process.tell("start \(again)") == "yes")
        }
    }

    @Test func aFileThatWasMovedIsTheSameFileAndItsBookmarkCanBeRenewed() throws {
        try run { scene in
            let bookmark = try scene.bookmark(scene.file, readOnly: true)
            try retrying { rename(scene.file, scene.files + "/folder/c.txt") }
            let path = try scene.resolve(bookmark, "stale")
            #expect(path.hasSuffix("/c.txt"))
            let renewed = try #require(scene.process.tell("bookmark \(path)"))
            #expect(try scene.resolve(renewed) == path)
            // The renewed bookmark grants no more access than the first.
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("append \(path)")?.hasPrefix("error") == true)
        }
    }

    @Test func anotherFileInItsPlaceIsNotHandedOut() throws {
        try run { scene in
            let bookmark = try scene.bookmark(scene.file)
            try Data("secret".utf8).write(to: URL(fileURLWithPath: scene.file), options: .atomic)
            #expect(scene.process.tell("resolve " + bookmark) == Self.missing)
            try retrying { unlink(scene.file) }
            try FileManager.default.createSymbolicLink(atPath: scene.file, withDestinationPath: "/etc/passwd")
            #expect(scene.process.tell("resolve " + bookmark) == Self.missing)
        }
    }

    @Test func aBookmarkForAnotherBundleIsRefused() throws {
        try run { scene in
            #expect(
                scene.process.tell("resolve " + (try scene.bookmark(scene.file, bundle: "org.example.other")))
                    == Self.refused)
            #expect(scene.process.tell("resolve " + (try scene.bookmark(scene.file, bundle: nil))) == Self.refused)
            let plain = try Bookmark(
                options: 0, item: ResolvedItem(at: scene.file), relativeTo: nil, scope: nil, values: [])
            let sealed = BookmarkSeal.seal(plain, try BookmarkKey(data: scene.place.data))
            #expect(scene.process.tell("resolve " + sealed.base64EncodedString()) == Self.refused)
        }
    }

    @Test func aBookmarkThatIsHandedOverIsGoodUntilTheMachineIsStartedAnew() throws {
        try run { scene in
            let session = try #require(MachineSession.current)
            for bundle in [nil, "org.example.unruly"] {
                let earlier = try scene.bookmark(scene.file, bundle: bundle, session: "earlier")
                #expect(scene.process.tell("resolve " + earlier) == Self.refused)
            }
            let other = try scene.bookmark(scene.file, bundle: "org.example.other", session: session)
            #expect(scene.process.tell("resolve " + other) == Self.refused)
            let path = try scene.resolve(scene.bookmark(scene.file, bundle: nil, session: session))
            #expect(scene.process.tell("start \(path)") == "yes")
            #expect(scene.process.tell("read \(path)") == "text")
            // A bookmark that the process makes from it is valid for the same session only.
            let renewed = try #require(Data(base64Encoded: scene.process.tell("bookmark \(path)") ?? ""))
            let bookmark = try BookmarkSeal.open(renewed, try BookmarkKey(data: scene.place.data))
            #expect(bookmark.scope == .init(bundle: "org.example.unruly", isReadOnly: false, session: session))
        }
    }

    @Test func aForgedBookmarkIsRefusedAndTheProcessGoesOn() throws {
        try run { scene in
            let good = try #require(Data(base64Encoded: try scene.bookmark(scene.file)))
            for index in stride(from: good.startIndex, to: good.endIndex, by: 7) {
                var forged = good
                forged[index] ^= 1
                #expect(scene.process.tell("resolve " + forged.base64EncodedString()) == Self.corrupt)
            }
            #expect(scene.process.tell("resolve " + good.dropLast().base64EncodedString()) == Self.corrupt)
            // Sealed with a key of the test's own. A confined process has no access to the user's key.
            let own = BookmarkSeal.seal(
                try Bookmark(
                    options: 0, item: ResolvedItem(at: scene.file), relativeTo: nil,
                    scope: .init(bundle: "org.example.unruly", isReadOnly: false), values: []),
                try BookmarkKey(data: scene.files))
            #expect(scene.process.tell("resolve " + own.base64EncodedString()) == Self.corrupt)
            _ = try scene.resolve(good.base64EncodedString())
        }
    }

    @Test func aBookmarkOfItsOwnContainerNeedsNoDaemon() throws {
        try run { scene in
            let path = scene.place.data + "/containers/org.example.unruly/Documents/own.txt"
            try Data("own".utf8).write(to: URL(fileURLWithPath: path))
            let bookmark = try #require(scene.process.tell("bookmark \(path)"))
            #expect(try scene.resolve(bookmark) == path)
            #expect(scene.process.tell("start \(path)") == "yes")
        }
    }

    @Test func aRenewedBookmarkIsRelativeToWhatItIsSaidToBeAndKeepsValues() throws {
        try run { scene in
            let document = scene.files + "/document"
            try Data("document".utf8).write(to: URL(fileURLWithPath: document))
            let path = try scene.resolve(scene.bookmark(scene.file))
            let base = try scene.resolve(scene.bookmark(document))
            for path in [path, base] { #expect(scene.process.tell("start \(path)") == "yes") }
            let renewed = try #require(scene.process.tell("bookmark-relative \(base) \(path)"))
            let data = try #require(Data(base64Encoded: renewed), "\(renewed)")
            let bookmark = try BookmarkSeal.open(data, try BookmarkKey(data: scene.place.data))
            #expect(throws: CocoaError.self) { try BookmarkResolution(of: bookmark, relativeTo: nil) }
            // For other programs, the bookmark is relative to the file itself.
            let found = try BookmarkResolution(of: bookmark, relativeTo: ResolvedItem(at: document))
            #expect(found.item.path == scene.file && !found.isStale)
            #expect(bookmark.values.map(\.key) == [.fileSizeKey])
            #expect(bookmark.values.first?.value as? Int == 4)
            #expect(scene.process.tell("resolve-relative \(base) " + renewed) == path)
            #expect(scene.process.tell("resolve " + renewed) == Self.corrupt)
        }
    }

    @Test func withoutTheOptionAccessBeginsAsItIsResolved() throws {
        try run { scene in
            let bookmark = try scene.bookmark(scene.file)
            let answer = try #require(scene.process.tell("resolve-implicitly " + bookmark))
            let path = String(answer.dropFirst("current ".count))
            #expect(scene.process.tell("read \(path)") == "text")
            #expect(scene.process.tell("stop \(path)") == "done")
            #expect(scene.process.tell("read \(path)")?.hasPrefix("error") == true)
        }
    }

    @Test func aProcessThatFallsOverLeavesNothingAndADaemonRemovesWhatAnotherLeft() throws {
        try ExtensionFixture.run { place in
            let left = place.data + "/scopes/left/changing/1"
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
            _ = ExtensionService(data: place.data)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.data + "/scopes").isEmpty)
        }
        try run { scene in
            let path = try scene.resolve(scene.bookmark(scene.file))
            #expect(scene.process.tell("start \(path)") == "yes")
            // The end of `run` checks what remains.
        }
    }
}
