import Testing

/// Patterns in the items that another process has put on the pasteboard.
@Suite struct PatternDetectionTests {
    private func run(_ body: (PeerProcess, PeerProcess) async throws -> Void) async throws {
        try await PrivateDaemon.run { daemon in
            let program = TestProcess.program("PasteboardPeer")
            try await body(try daemon.peer(program: program), try daemon.peer(program: program))
        }
    }

    @Test func patternsAreDetectedAcrossProcesses() async throws {
        try await run { first, second in
            #expect(try await second.ask("detect", "detected") == "no address, 0.0, no links")
            _ = try await first.ask("copy-string https://example.com/a", "copied")
            #expect(try await second.ask("detect", "detected") == "https://example.com/a, 0.0, https://example.com/a")
            _ = try await first.ask("copy-string -1,234.5", "copied")
            #expect(try await second.ask("detect", "detected") == "no address, -1234.5, no links")
            _ = try await first.ask("copy-items 42", "copied")
            #expect(try await second.ask("detect-patterns", "detected") == "[[51], []]")
        }
    }

    @Test func onlyTheBeginningOfALongTextIsReadAcrossProcesses() async throws {
        try await run { first, second in
            _ = try await first.ask("copy-without-end example.com/x", "copied")
            #expect(try await second.ask("detect", "detected") == "no address, 0.0, http://example.com/x")
        }
    }

    @Test func aFailureReachesTheDetectingCaller() async throws {
        try await run { first, second in
            _ = try await first.ask("copy-failing", "copied")
            #expect(try await second.ask("detect", "failed") == "-1000")
        }
    }
}
