import FileTesting
import Foundation
import ProgramTesting
import Testing
import UniformTypeIdentifiers

/// Cancels the test because this machine has no database, which is a failure in continuous integration.
func skipWithoutDatabase() throws -> Never {
    try #require(
        ProcessInfo.processInfo.environment["CI"] == nil, "the Debian package shared-mime-info has to be installed")
    try Test.cancel("no MIME database here; the Debian package shared-mime-info has one")
}

/// Tests with the database of Debian's shared-mime-info, whose results are known.
struct FreedesktopMachineTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns a database of shared-mime-info alone. Other packages add types to the machine's own.
    private func database() async throws -> MIMEDatabase {
        try FileManager.default.createDirectory(atPath: folder.path + "/packages", withIntermediateDirectories: true)
        let source = "packages/freedesktop.org.xml"
        let copied: Void? = try? FileManager.default.copyItem(
            atPath: "/usr/share/mime/" + source, toPath: folder.path + "/" + source)
        if copied == nil { try skipWithoutDatabase() }
        let run = try await RunningProgram(
            "/usr/bin/update-mime-database", [folder.path], environment: ["PKGSYSTEM_ENABLE_FSYNC": "0"]
        ).end()
        #expect(run.status == 0, "\(run)")
        return try #require(MIMEDatabase(cachePaths: [folder.path + "/mime.cache"]))
    }

    @Test func commonNamesHaveTheirTypes() async throws {
        let database = try await database()
        let expected = [
            "a.png": "image/png", "photo.JPG": "image/jpeg", "x.tar.gz": "application/x-compressed-tar",
            "Makefile": "text/x-makefile", "main.C": "text/x-c++src", "main.c": "text/x-csrc", "a.html": "text/html",
            "libc.so.6": "application/x-sharedlib", "a~": "application/x-trash",
        ]
        for (name, type) in expected { #expect(database.types(forFileName: name).first == type, "\(name)") }
    }

    @Test func commonContentsHaveTheirTypes() async throws {
        let database = try await database()
        let expected: [(String, String)] = [
            ("%PDF-1.7\n", "application/pdf"),
            ("<!DOCTYPE html><html>", "text/html"), ("#!/bin/sh\n", "application/x-shellscript"),
            (#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>"#, "image/svg+xml"),
            ("hello", "text/plain"),
        ]
        for (content, type) in expected {
            let guess = Array(content.utf8).withUnsafeBytes { database.guess(fileName: nil, content: $0) }
            #expect(guess == type, "\(content)")
        }
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        #expect(png.withUnsafeBytes { database.type(forContent: $0)?.type } == "image/png")
    }

    @Test func typesAreDescribedAndRelated() async throws {
        let database = try await database()
        #expect(database.description(of: "image/png") == "PNG image")
        #expect(database.extensions(of: "text/x-tex").first == "tex")
        #expect(database.canonical("application/x-pdf") == "application/pdf")
        #expect(database.parents(of: "image/svg+xml") == ["application/xml"])
    }

    @Test func manyThreadsAskAtOnce() async throws {
        let database = try await database()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                #expect(database.types(forFileName: "a.tex") == ["text/x-tex"])
                #expect(database.description(of: "text/x-tex") == "TeX document")
            }
        }
    }

    /// The test files of shared-mime-info: by name, by content and by both, at least as many match as its own list
    /// expects of the reference implementation. Files for which Debian's database and the list disagree are excluded.
    @Test func theListOfSharedMIMEInfoIsMet() async throws {
        let database = try await database()
        guard let list = try await TestList() else {
            try #require(ProcessInfo.processInfo.environment["CI"] == nil, "Scripts/fetch-mime-tests has to work")
            try Test.cancel("Scripts/fetch-mime-tests could not bring shared-mime-info's test files here")
        }
        var missed = (name: 0, content: 0, both: 0)
        var unexpected: [String] = []
        for entry in list.entries {
            let expected = database.canonical(entry.type)
            let check = { (isExpected: Bool, type: String, misses: inout Int) in
                guard isExpected, database.canonical(type) != expected else { return }
                misses += 1
                unexpected.append("\(entry.name): \(type), not \(expected)")
            }
            entry.content.withUnsafeBytes { content in
                check(entry.isExpected[0], database.guess(fileName: entry.name, content: nil), &missed.name)
                check(entry.isExpected[1], database.guess(fileName: nil, content: content), &missed.content)
                check(entry.isExpected[2], database.guess(fileName: entry.name, content: content), &missed.both)
            }
        }
        #expect(list.entries.count > 500)
        #expect(missed.name <= 1 && missed.content <= 1 && missed.both <= 1, "\(unexpected)")
    }

    /// The list that Scripts/fetch-mime-tests downloads.
    private struct TestList {
        struct Entry {
            let name: String
            let content: [UInt8]
            let type: String
            /// Whether the type is expected to be found by name, by content and by both.
            let isExpected: [Bool]
        }

        let entries: [Entry]

        /// Fails if the files cannot be downloaded.
        init?() async throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let fetching = try RunningProgram(root.appendingPathComponent("Scripts/fetch-mime-tests").path)
            guard try await fetching.end().status == 0 else { return nil }
            let folder = root.appendingPathComponent(".build/mime-tests/tests/mime-detection")
            let list = try String(contentsOf: folder.appendingPathComponent("list"), encoding: .utf8)
            entries = try list.split(separator: "\n").compactMap { line in
                let words = line.split(whereSeparator: \.isWhitespace)
                guard words.count >= 2, !words[0].hasPrefix("#") else { return nil }
                let file = folder.appendingPathComponent(String(words[0]))
                let flags = words.count > 2 ? Array(words[2]) : []
                return Entry(
                    name: file.lastPathComponent, content: Array(try Data(contentsOf: file)), type: String(words[1]),
                    isExpected: (0..<3).map { $0 >= flags.count || flags[$0] != "x" })
            }
        }
    }
}
