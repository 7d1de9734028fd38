import ExtensionHost
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import Testing

/// The Swift libraries that an extension may read although its host does not use them. The extension's executable is
/// not trusted.
@Suite struct SwiftLibrariesTests {
    /// A directory with a program whose run path names directories, and directories that it may name.
    private struct Place {
        let root: String
        var data: String { root + "/data" }
        var program: String { root + "/program" }

        static func run(_ body: (Place) throws -> Void) throws {
            let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
            let place = Place(root: temporary + "/pve-" + UUID().uuidString.prefix(8))
            defer { try? FileManager.default.removeItem(atPath: place.root) }
            try FileManager.default.createDirectory(atPath: place.data, withIntermediateDirectories: true)
            try body(place)
        }

        @discardableResult
        func write(_ names: String..., in folder: String) throws -> String {
            let path = root + "/" + folder
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in names { try Data(name.utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
            return path
        }

        /// Returns the files that a program with this run path may read.
        func files(_ folders: String..., reachable: [String] = []) throws -> [String] {
            let bytes = SampleProgram.bytes(runPath: folders.joined(separator: ":"))
            try Data(bytes).write(to: URL(fileURLWithPath: program))
            return SwiftLibraries(reachable: reachable, data: data).files(of: program).map {
                $0.hasPrefix(root) ? String($0.dropFirst(root.count + 1)) : $0
            }
        }
    }

    @Test func onlyTheLibrariesInALibraryFolderAreReached() throws {
        try Place.run { place in
            let folder = try place.write(
                "libswiftCore.so", "libFoundation.so", "libicu.so.74", "secret", "libsecret", "secret.so", in: "swift")
            try place.write("libhidden.so", in: "swift/beneath")
            try place.write("secret", in: "elsewhere")
            symlink(place.root + "/elsewhere/secret", folder + "/liblink.so")
            mkfifo(folder + "/libpipe.so", 0o600)
            #expect(
                try place.files("$ORIGIN", folder)
                    == ["swift/libFoundation.so", "swift/libicu.so.74", "swift/libswiftCore.so"])
        }
    }

    @Test func aFolderWithoutTheLanguagesCoreLibraryIsNotReached() throws {
        try Place.run { place in
            let folder = try place.write("libFoundation.so", in: "lib")
            let linked = try place.write("libFoundation.so", in: "linked")
            try place.write("libswiftCore.so", in: "real")
            symlink(place.root + "/real/libswiftCore.so", linked + "/libswiftCore.so")
            try FileManager.default.createDirectory(
                atPath: place.root + "/folder/libswiftCore.so", withIntermediateDirectories: true)
            #expect(
                try place.files(folder, linked, place.root + "/folder", place.root + "/none", place.program).isEmpty)
        }
    }

    @Test func foldersThatAreRelativeAreNotReached() throws {
        try Place.run { place in
            let folder = try place.write("libswiftCore.so", in: "swift")
            let relative = "../../../../../../../../../../.." + folder
            #expect(try place.files("", relative, ".", "$ORIGIN/swift", folder + "/$LIB", "${ORIGIN}/swift").isEmpty)
            // If a link leads to the directory, the real directory decides.
            symlink(folder, place.root + "/link")
            #expect(
                try place.files(place.root + "/link", folder, folder + "/", folder + "/../swift")
                    == ["swift/libswiftCore.so"])
        }
    }

    @Test func noContainerIsReached() throws {
        try Place.run { place in
            let other = try place.write(
                "libswiftCore.so", "libother.so", in: "data/containers/org.example.other/Documents")
            let data = try place.write("libswiftCore.so", in: "data")
            symlink(other, place.root + "/link")
            #expect(try place.files(other, data, place.root + "/link").isEmpty)
        }
    }

    @Test func reachableLibrariesAreNotSearchedFor() throws {
        try Place.run { place in
            let folder = try place.write("libswiftCore.so", in: "swift")
            #expect(try place.files(folder, reachable: [folder]).isEmpty)
            #expect(try place.files(folder, reachable: [place.root]).isEmpty)
            #expect(try place.files(folder, reachable: [place.root + "/sw"]) == ["swift/libswiftCore.so"])
        }
    }

    @Test func theHomeFolderAndWhatHoldsItAreNotReached() throws {
        try Place.run { place in
            let home = try place.write("libswiftCore.so", in: "homes/somebody")
            try place.write("libswiftCore.so", in: "homes")
            let beneath = try place.write("libswiftCore.so", in: "homes/somebody/toolchain/linux")
            #expect(
                try place.files(home, place.root + "/homes", beneath).count == 3, "none of them is this user's home")
            let libraries = SwiftLibraries(reachable: [], data: place.data, homes: [home + "/"])
            #expect(libraries.files(of: place.program) == [beneath + "/libswiftCore.so"])
            let named = getenv("HOME").map { String(cString: $0) } ?? NSHomeDirectory()
            #expect(SwiftLibraries.homesOfThisUser.contains(named))
        }
    }

    @Test func aScriptIsLinkedWithNothing() throws {
        try Place.run { place in
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: place.program))
            let libraries = SwiftLibraries(reachable: [], data: place.data)
            #expect(libraries.files(of: place.program).isEmpty)
            #expect(libraries.files(of: place.root + "/nothing").isEmpty)
            #expect(libraries.files(of: place.root).isEmpty)
        }
    }

    /// Simulates a daemon that is statically linked with the Swift libraries.
    @Test func anExtensionFindsItsLibrariesWhereItsHostHasNone() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start(hostLibraries: [])
            defer { unruly.end() }
            #expect(unruly.tell("greet") == "hello")
            #expect(unruly.tell("foundation") == "done")
        }
    }
}
