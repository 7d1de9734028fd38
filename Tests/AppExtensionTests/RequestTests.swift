import AppExtension
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization
import Testing

/// Requests to a real extension process.
@Suite struct RequestTests {
    private func run<Result: Sendable>(
        opensURL: @escaping @Sendable (URL) -> Bool = { _ in false },
        _ body: (ExtensionConnection, ChildProgram) async throws -> Result
    ) async throws -> Result {
        let folder = try ExtensionFolder()
        let (program, socket) = try folder.start()
        let connection = try ExtensionConnection(socket, opensURL: opensURL)
        do {
            let result = try await body(connection, program)
            connection.close()
            // An extension ends when its host closes the connection.
            _ = await ended(program)
            return result
        } catch {
            connection.close()
            _ = await ended(program)
            throw error
        }
    }

    /// Waits on a thread outside Swift's task pool, as `wait` blocks.
    private func ended(_ program: ChildProgram) async -> ChildProgram.Ending? {
        await withCheckedContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(returning: try? program.wait()) }
        }
    }

    private func item(_ title: String) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: title)
        return item
    }

    private func text(_ items: [NSExtensionItem]) -> String? { items.first?.attributedContentText?.string }

    @Test func itemsGoThereAndBackWithAllTheyHave() async throws {
        try await run { connection, _ in
            let sent = item("echo")
            sent.attributedContentText = NSAttributedString(string: "text", attributes: [.init("mark"): "yes"])
            sent.userInfo?["list"] = [1, "two"] as [Any]
            sent.userInfo?["unfit"] = ProcessInfo.processInfo
            let provider = NSItemProvider(object: "attached" as NSString)
            provider.suggestedName = "Name"
            sent.attachments = [provider]
            let back = try #require(try await connection.request([sent]).first)
            #expect(back.attributedTitle?.string == "echo")
            let mark = back.attributedContentText?.attribute(.init("mark"), at: 0, effectiveRange: nil)
            #expect(mark as? String == "yes")
            #expect((back.userInfo?["list"] as? [Any])?.count == 2)
            #expect(back.userInfo?["unfit"] == nil)
            let attachment = try #require(back.attachments?.first)
            #expect(attachment.suggestedName == "Name")
            // The load goes through the extension and back to the item provider of this process.
            #expect(try await attachment.loadObject(ofClass: String.self) == "attached")
        }
    }

    @Test func anExtensionLoadsWhatItIsHandedAndReturnsSomethingElse() async throws {
        try await run { connection, _ in
            let sent = item("upper")
            sent.attachments = [NSItemProvider(item: "quiet" as NSString, typeIdentifier: "public.plain-text")]
            let back = try await connection.request([sent])
            let attachment = try #require(back.first?.attachments?.first)
            let loaded: Any = try await attachment.loadItem(forTypeIdentifier: "public.text")
            #expect(loaded as? String == "QUIET")
        }
    }

    @Test func severalRequestsRunAtOnce() async throws {
        let texts = try await run { (connection, _) async throws in
            try await withThrowingTaskGroup(of: String.self, returning: Set<String>.self) { group in
                for number in 0..<50 { group.addTask { try await Self.upper("n\(number)", connection) } }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }
        #expect(texts == Set((0..<50).map { "N\($0)" }))
    }

    private static func upper(_ text: String, _ connection: ExtensionConnection) async throws -> String {
        let sent = NSExtensionItem()
        sent.attributedTitle = NSAttributedString(string: "upper")
        sent.attachments = [NSItemProvider(item: text as NSString, typeIdentifier: "public.text")]
        let provider = try await connection.request([sent]).first?.attachments?.first
        let loaded: Any? = try await provider?.loadItem(forTypeIdentifier: "public.text")
        return loaded as? String ?? ""
    }

    @Test func everyRequestHasAnObjectOfItsOwn() async throws {
        try await run { (connection, _) async throws in
            #expect(text(try await connection.request([item("count"), item("b")])) == "2 1")
            #expect(text(try await connection.request([item("count")])) == "1 1")
        }
    }

    @Test func aHostThatHandsOverNothingIsAnswered() async throws {
        try await run { (connection, _) async throws in
            #expect(text(try await connection.request([])) == "empty-handed 0")
            #expect(try await connection.request([item("nil")]).isEmpty)
        }
    }

    @Test func anExtensionThatDeclinesGivesItsReason() async throws {
        try await run { connection, _ in
            do {
                _ = try await connection.request([item("cancel")])
                Issue.record("it completed")
            } catch {
                #expect((error as NSError).domain == "Peer")
                #expect((error as NSError).code == 7)
                #expect(error.localizedDescription == "no thanks")
            }
        }
    }

    @Test func aRequestCompletedTwiceIsCompletedOnce() async throws {
        try await run { (connection, _) async throws in
            #expect(text(try await connection.request([item("twice")])) == "first")
            // The process survives and serves the next request.
            #expect(text(try await connection.request([item("garbage")])) == "good")
        }
    }

    @Test(arguments: ["crash", "exit"])
    func anExtensionThatEndsFailsItsRequests(_ how: String) async throws {
        try await run { (connection, _) async throws in
            await #expect(throws: ExtensionError.ended) { _ = try await connection.request([item(how)]) }
            await #expect(throws: ExtensionError.ended) { _ = try await connection.request([item("echo")]) }
        }
    }

    @Test func aHostThatGivesUpIsNotKeptWaiting() async throws {
        try await run { (connection, _) async throws in
            let waiting = Task {
                let sent = NSExtensionItem()
                sent.attributedTitle = NSAttributedString(string: "never")
                _ = try await connection.request([sent])
            }
            waiting.cancel()
            await #expect(throws: ExtensionError.cancelled) { try await waiting.value }
            #expect(try await connection.request([item("echo")]).count == 1)
        }
    }

    @Test func anExtensionAsksItsHostToOpenAURL() async throws {
        let opened = Mutex<URL?>(nil)
        let answer = try await run(opensURL: { url in
            opened.withLock { $0 = url }
            return true
        }) { connection, _ in text(try await connection.request([item("open")])) }
        #expect(answer == "true")
        #expect(opened.withLock { $0?.path } == "/tmp")
    }

    @Test func hostNotificationsAreTaken() async throws {
        try await run { (connection, _) async throws in
            _ = try await connection.request([item("observe")])
            for name: NSNotification.Name in [
                .NSExtensionHostWillResignActive, .NSExtensionHostDidEnterBackground,
                .NSExtensionHostWillEnterForeground, .NSExtensionHostDidBecomeActive,
            ] {
                try connection.notify(name)
                #expect(text(try await connection.request([item("observed")])) == name.rawValue)
            }
        }
    }

    @Test(arguments: [false, true])
    func anExtensionThatCompletesIsToldWhetherItsRequestHasExpired(_ expires: Bool) async throws {
        try await run { (connection, _) async throws in
            let request = Task {
                let sent = NSExtensionItem()
                sent.attributedTitle = NSAttributedString(string: "hold")
                return try await connection.request([sent]).count
            }
            while text(try await connection.request([item("held")])) != "true" {}
            if expires {
                request.cancel()
                await #expect(throws: ExtensionError.cancelled) { _ = try await request.value }
            }
            #expect(text(try await connection.request([item("let go")])) == "\(expires)")
            if !expires { #expect(try await request.value == 0) }
        }
    }

    @Test func otherPathsThanExtensionsAreRefusedWithTheReason() async throws {
        for change: (inout [String: Any]) -> Void in [
            { $0["NSExtension"] = nil },
            { $0["NSExtension"] = ["NSExtensionPointIdentifier": "p", "NSExtensionPrincipalClass": "Nobody"] },
            { $0["NSExtension"] = ["NSExtensionPointIdentifier": "p", "NSExtensionPrincipalClass": "NSObject"] },
        ] {
            let (program, _) = try ExtensionFolder(change).start()
            #expect(await ended(program) == .exited(1))
        }
        // Started without a host, the program exits.
        let folder = try ExtensionFolder()
        let errors = try FileDescriptor.open("/dev/null", .writeOnly)
        let program = try ChildProgram.start(
            folder.path + "/ExtensionPeer", arguments: [], descriptors: [nil, errors, errors])
        #expect(await ended(program) == .exited(1))
    }
}
