import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct ProgramFileTests {
    private func searchPath(_ bytes: [UInt8]) throws -> [String] {
        let file = try MemoryFile.create(name: "program")
        try bytes.withUnsafeBytes { try file.writeAll($0, at: 0) }
        return try ProgramFile(file).librarySearchPath()
    }

    @Test func theFoldersOfAProgramsLibrariesAreRead() throws {
        #expect(try searchPath(SampleProgram.bytes(runPath: "/opt/a/lib:$ORIGIN")) == ["/opt/a/lib", "$ORIGIN"])
        #expect(try searchPath(SampleProgram.bytes(path: "/opt/b")) == ["/opt/b"])
        #expect(try searchPath(SampleProgram.bytes(runPath: "/opt/a", path: "/opt/b")) == ["/opt/a"])
        #expect(try searchPath(SampleProgram.bytes(runPath: "a::/b:")) == ["a", "", "/b", ""])
        #expect(try searchPath(SampleProgram.bytes()).isEmpty)
    }

    @Test func theLibrariesOfTheLanguageFindEachOther() throws {
        let maps = try FileDescriptor.open("/proc/self/maps", .readOnly).readToEnd(limit: 4 << 20)
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        // A test program that is linked statically with the libraries maps none.
        guard let line = lines.first(where: { $0.hasSuffix("/libswiftCore.so") }),
            let start = line.firstIndex(of: "/")
        else { return }
        let path = String(line[start...])
        let program = try ProgramFile(try FileDescriptor.open(path, .readOnly))
        #expect(try program.librarySearchPath() == ["$ORIGIN"])
    }

    @Test func otherFilesThanProgramsAreRefused() throws {
        #expect(throws: ProgramFile.FormatError.isOfAnotherKind) { try searchPath([]) }
        #expect(throws: ProgramFile.FormatError.isOfAnotherKind) { try searchPath(Array("#!/bin/sh\n".utf8)) }
        #expect(throws: ProgramFile.FormatError.isOfAnotherKind) { try searchPath([UInt8](repeating: 0, count: 4096)) }
        // A 32-bit program, and a big-endian one.
        for (place, value) in [(4, UInt8(1)), (5, 2)] {
            var bytes = SampleProgram.bytes(runPath: "/a")
            bytes[place] = value
            #expect(throws: ProgramFile.FormatError.isOfAnotherKind) { try searchPath(bytes) }
        }
        #expect(throws: ProgramFile.FormatError.unreadable(.invalidArgument)) {
            try ProgramFile(try FileDescriptor.open("/usr", [.readOnly, .directory]))
        }
    }

    @Test func aProgramThatWasCutShortIsAnErrorOrSaysTheSame() throws {
        let whole = SampleProgram.bytes(runPath: "/opt/a/lib:$ORIGIN")
        for length in 0..<whole.count {
            #expect(throws: ProgramFile.FormatError.self) { try searchPath(Array(whole[..<length])) }
        }
    }

    @Test func numbersThatLeadOutOfAProgramAreErrors() throws {
        let whole = SampleProgram.bytes(runPath: "/opt/a/lib")
        // The offsets of 8-byte numbers: that of the segment table; the offsets, addresses and sizes of the two
        // segments; the values of the dynamic section.
        let segments = [0, 56].flatMap { start in [8, 16, 32].map { 64 + start + $0 } }
        let values = [0, 1, 2].map { 64 + 2 * 56 + $0 * 16 + 8 }
        let wrong: [UInt64] = [.max, .max - 15, 1 << 63, 1 << 62, UInt64(whole.count), .max >> 1]
        for place in [32] + segments + values {
            for value in wrong {
                var bytes = whole
                for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
                do {
                    // A table that claims to be longer than it is, or an unused offset, is harmless.
                    let path = try searchPath(bytes)
                    #expect(path == ["/opt/a/lib"] || path.isEmpty, "\(place): \(value)")
                } catch {
                    #expect(error as? ProgramFile.FormatError == .isDamaged, "\(place): \(value)")
                }
            }
        }
    }

    @Test func noChangeOfAProgramDoesHarm() throws {
        let whole = SampleProgram.bytes(runPath: "/opt/a/lib:$ORIGIN", path: "/opt/b")
        let file = try MemoryFile.create(name: "program")
        var random = SeededNumbers(seed: 11)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
            }
            try file.truncate(to: Int.random(in: 0..<4, using: &random) == 0 ? 0 : bytes.count)
            try bytes.withUnsafeBytes { try file.writeAll($0, at: 0) }
            // Only that it returns matters, not the result.
            for folder in (try? ProgramFile(file).librarySearchPath()) ?? [] { #expect(folder.utf8.count < 1 << 20) }
        }
    }
}

/// A generator of the same numbers in every run.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
