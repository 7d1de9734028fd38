import ItemStore
import ItemValues
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct FolderPathsTests {
    /// Creates a sample index with a chain of nested directories.
    private func chain(_ count: Int) throws -> IndexSample {
        let sample = try IndexSample()
        let items = (0..<count).map { number in
            ProviderItem(
                identifier: "\(number)", parent: number == 0 ? ProviderItem.rootIdentifier : "\(number - 1)",
                filename: "f", kind: .folder)
        }
        try sample.list(.root, 1, items)
        return sample
    }

    /// Runs on a thread with the stack size of the daemon's threads.
    @Test func theDeepestFolderHasAPath() async throws {
        let sample = try chain(2100)
        let index = sample.index
        let (deepest, last) = (try sample.number("2046"), try sample.number("2099"))
        let path = try await HandlerThreads.shared.value { () throws in
            var paths = FolderPaths(index, root: "/mount")
            // No path can have so many names. A request for one returns `nil` and does no harm.
            #expect(try paths.path(of: last) == nil)
            var others = FolderPaths(index, root: "/mount")
            return try others.path(of: deepest)
        }
        #expect(path == "/mount" + String(repeating: "/f", count: 2047))
    }

    @Test func aFolderThatIsGoneHasNone() throws {
        let sample = try chain(3)
        let number = try sample.number("2")
        var paths = FolderPaths(sample.index, root: "/mount")
        #expect(try paths.path(of: number) == "/mount/f/f/f")
        #expect(try paths.path(of: try #require(try sample.index.item(number))) == "/mount/f/f/f")
        #expect(try paths.path(of: .root) == "/mount")
        _ = try sample.remove("1")
        var anew = FolderPaths(sample.index, root: "/mount")
        #expect(try anew.path(of: number) == nil)
        #expect(try anew.path(of: try sample.number("0")) == "/mount/f")
    }
}
