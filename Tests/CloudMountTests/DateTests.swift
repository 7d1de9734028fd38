import CLinux
import FileTesting
import Glibc
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of the dates by which programs decide which files to process again.
@Suite(.ownThreads, .enabled(if: canMount)) struct DateTests {
    @Test(arguments: [true, false]) func aFileKeepsItsDateWhenItIsClosedAndSent(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            // Another rounding would change one date in sixteen.
            for round in 0..<200 {
                let file = try mount.open("File", .readWrite)
                try file.overwrite(Array("\(round)".utf8), at: 0)
                let date = try FileDate(file.status())
                try file.synchronize()
                #expect(try FileDate(file.status()) == date)
            }
            var last: FileDate?
            for round in 0..<200 {
                last = try written("\(round)", to: "File", in: mount)
                #expect(try FileDate(mount.status("File")) == last)
            }
            mount.waitUntilSent()
            #expect(try FileDate(mount.status("File")) == last)
        }
    }

    @Test(arguments: [true, false]) func laterChangesAreNeverOlder(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            for name in ["Written before", "Touched", "Written after"] { provider.addFile(name, "text") }
        } _: { (mount) throws in
            for round in 0..<100 {
                try mount.write("\(round)", to: "Written before")
                try retrying { utimensat(AT_FDCWD, mount("Touched"), nil, 0) }
                try mount.write("\(round)", to: "Written after")
                _ = try mount.open("New \(round)", [.writeOnly, .create])
                try retrying { mkdir(mount("Folder \(round)"), 0o755) }
                let names = ["Written before", "Touched", "Written after", "New \(round)", "Folder \(round)", "."]
                let dates = try names.map { try FileDate(mount.status($0)) }
                #expect(dates == dates.sorted(), "\(dates)")
            }
        }
    }

    @Test(arguments: [true, false]) func aStatDuringACloseDoesNotHideTheWrites(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("Log", "")
        } _: { (mount) throws in
            let isOver = Flag()
            defer { isOver.set() }
            for _ in 0..<3 {
                try SystemThread.start("looking") {
                    while !isOver.isSet { _ = try? mount.status("Log") }
                }
            }
            for round in 1...500 {
                do {
                    let file = try mount.open("Log", [.writeOnly, .append])
                    try Array("x".utf8).withUnsafeBytes { try file.writeAll($0) }
                }
                #expect(try mount.status("Log").size == round)
                #expect(try mount.status("Log").size == round)
            }
        }
    }

    private func written(_ text: String, to name: String, in mount: MountedProvider) throws -> FileDate {
        let file = try mount.open(name, .readWrite)
        try file.overwrite(Array(text.utf8), at: 0)
        return try FileDate(file.status())
    }
}

/// A file's modification date, as a program sees it.
private struct FileDate: Equatable, Comparable, CustomStringConvertible {
    let seconds: Int
    let nanoseconds: Int

    init(_ status: FileStatus) {
        seconds = status.modified.tv_sec
        nanoseconds = status.modified.tv_nsec
    }

    static func < (left: FileDate, right: FileDate) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    var description: String { "\(seconds).\(nanoseconds)" }
}
