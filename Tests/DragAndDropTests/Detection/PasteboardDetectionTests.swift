import DragAndDrop
import Foundation
import ItemProvider
import Synchronization
import Testing

@Suite struct PasteboardDetectionTests {
    private let boards = LocalBoards()
    private let name = UIPasteboard.Name(UUID().uuidString)

    private var pasteboard: UIPasteboard { UIPasteboard(name, boards) }

    /// Puts items on the pasteboard, outside Swift's task pool, because that blocks.
    private func put(_ items: sending [NSItemProvider]) async {
        let (boards, name, promises) = (boards, name, items.map(\.promise))
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                UIPasteboard(name, boards).itemProviders = promises.map { NSItemProvider(promise: $0) }
                continuation.resume()
            }
        }
    }

    private func put(texts: [String]) async { await put(texts.map { NSItemProvider(object: $0 as NSString) }) }

    /// Returns the result that a completion handler gets.
    private func handled<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in start { continuation.resume(with: $0) } }
    }

    private func data(_ type: String, _ answer: @escaping @Sendable () throws -> Data) -> NSItemProvider {
        let item = NSItemProvider()
        item.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
            do { completion(try answer(), nil) } catch { completion(nil, error) }
            return nil
        }
        return item
    }

    // MARK: - The functions

    @Test func patternsAreNamedAsApplesAre() {
        #expect(
            UIPasteboard.DetectionPattern.probableWebURL.rawValue
                == "com.apple.uikit.pasteboard-detection-pattern.probable-web-url")
        #expect(
            UIPasteboard.DetectionPattern.probableWebSearch.rawValue
                == "com.apple.uikit.pasteboard-detection-pattern.probable-web-search")
        #expect(UIPasteboard.DetectionPattern.number.rawValue == "com.apple.uikit.pasteboard-detection-pattern.number")
        #expect(UIPasteboard.DetectionPattern(rawValue: "x") != .number)
    }

    @Test func handlersAreToldThePatternsOfTheFirstItem() async throws {
        await put(texts: ["https://example.com", "42"])
        #expect(
            try await handled { pasteboard.detectPatterns(for: [.probableWebURL, .number], completionHandler: $0) }
                == [.probableWebURL])
        #expect(
            try await handled { done in
                pasteboard.detectPatterns(for: [\.links, \.number]) { result in done(result.map { $0 == [\.links] }) }
            })
    }

    @Test func handlersAreToldThePatternsOfItems() async throws {
        await put(texts: ["https://example.com", "42", "words"])
        let patterns = try await handled { done in
            pasteboard.detectPatterns(
                for: [.probableWebURL, .number, .probableWebSearch], inItemSet: nil, completionHandler: done)
        }
        #expect(patterns == [[.probableWebURL], [.number, .probableWebSearch], [.probableWebSearch]])
        let areFound = try await handled { done in
            pasteboard.detectPatterns(for: [\.links, \.number], inItemSet: [1, 2]) { result in
                done(result.map { $0 == [[\.number], []] })
            }
        }
        #expect(areFound)
    }

    @Test func tasksAreToldPatterns() async throws {
        await put(texts: ["https://example.com", "42"])
        #expect(try await pasteboard.detectedPatterns(for: [\.probableWebURL, \.number]) == [\.probableWebURL])
        #expect(try await pasteboard.detectedPatterns(for: [\.number], inItemSet: nil) == [[], [\.number]])
        #expect(try await pasteboard.detectedPatterns(for: [\.number], inItemSet: [1]) == [[\.number]])
    }

    @Test func handlersAreGivenTheValuesOfTheFirstItem() async throws {
        await put(texts: ["-1,234.5", "example.com"])
        let number = try await handled { done in
            pasteboard.detectValues(for: [.number, .probableWebURL]) { result in
                done(result.map { ($0[.number] as? Double, $0.count) })
            }
        }
        #expect(number == (-1234.5, 1))
        let values = try await handled { pasteboard.detectValues(for: [\.number, \.links], completionHandler: $0) }
        #expect(values.number == -1234.5 && values.links.isEmpty && values.patterns == [\.number])
    }

    @Test func handlersAreGivenTheValuesOfItems() async throws {
        await put(texts: ["42", "example.com"])
        let urls = try await handled { done in
            pasteboard.detectValues(for: [.probableWebURL], inItemSet: nil) { result in
                done(result.map { $0.map { $0[.probableWebURL] as? String } })
            }
        }
        #expect(urls == [nil, "example.com"])
        let values = try await handled {
            pasteboard.detectValues(for: [\.links], inItemSet: [1], completionHandler: $0)
        }
        #expect(values.map { $0.links.map(\.matchedString) } == [["example.com"]])
    }

    @Test func tasksAreGivenEveryKindOfValue() async throws {
        await put(texts: [
            """
            See https://example.com or write to a@example.org, +49 30 901820.
            350 5th Ave, New York, NY 10118
            24 December 2024 at 15:30: BA 123, 1Z5R89390357567127, $12.50
            """
        ])
        let values = try await pasteboard.detectedValues(for: [
            \.probableWebURL, \.probableWebSearch, \.number, \.links, \.phoneNumbers, \.emailAddresses,
            \.postalAddresses,
            \.calendarEvents, \.shipmentTrackingNumbers, \.flightNumbers, \.moneyAmounts,
        ])
        #expect(values.links.map(\.url) == [URL(string: "https://example.com")])
        #expect(values.emailAddresses.map(\.emailAddress) == ["a@example.org"])
        #expect(values.phoneNumbers.map(\.phoneNumber) == ["+49 30 901820"])
        #expect(values.postalAddresses.map(\.city) == ["New York"])
        #expect(values.calendarEvents.map(\.isAllDay) == [false])
        #expect(values.flightNumbers.map(\.flightNumber) == ["123"])
        #expect(values.shipmentTrackingNumbers.map(\.carrier) == ["UPS"])
        #expect(values.moneyAmounts.map(\.currency) == ["USD"])
        #expect(values.probableWebURL.isEmpty && values.number == nil)
        #expect(!values.probableWebSearch.isEmpty)
        #expect(values.patterns.count == 9)
        // Only requested patterns are detected.
        let links = try await pasteboard.detectedValues(for: [\.links], inItemSet: nil)
        #expect(links.map(\.patterns) == [[\.links]])
        #expect(try await pasteboard.detectedValues(for: [\.patterns]).patterns.isEmpty)
    }

    // MARK: - Loaded representations

    @Test func nothingIsLoadedButText() async throws {
        let asked = Mutex<[String]>([])
        let item = NSItemProvider()
        for type in ["public.png", "public.url", "com.apple.property-list", "public.utf8-plain-text"] {
            item.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                asked.withLock { $0.append(type) }
                completion(Data("42".utf8), nil)
                return nil
            }
        }
        let picture = NSItemProvider()
        for type in ["public.png", "public.file-url", "public.url"] {
            picture.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                asked.withLock { $0.append(type) }
                completion(Data(), nil)
                return nil
            }
        }
        let file = NSItemProvider(object: URL(fileURLWithPath: "/tmp/www.example.com") as NSURL)
        await put([item, picture, file])
        #expect(
            try await pasteboard.detectedPatterns(for: [\.number, \.links], inItemSet: nil) == [[\.number], [], []])
        #expect(asked.withLock { $0 } == ["public.utf8-plain-text"])
        // Without a pattern, nothing is loaded.
        #expect(try await pasteboard.detectedPatterns(for: []).isEmpty)
        #expect(
            try await handled { pasteboard.detectPatterns(for: [.init(rawValue: "x")], completionHandler: $0) } == [])
        #expect(asked.withLock { $0.count } == 1)
    }

    @Test func aURLIsReadAsItsText() async throws {
        let url = try #require(URL(string: "https://example.com/a?b=c"))
        await put([NSItemProvider(object: url as NSURL)])
        #expect(try await pasteboard.detectedValues(for: [\.probableWebURL]).probableWebURL == url.absoluteString)
    }

    @Test func textIsReadInItsEncoding() async throws {
        let utf16 = Data([0xFF, 0xFE]) + "größer als 5 €".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        await put([data("public.utf16-plain-text") { utf16 }])
        #expect(try await pasteboard.detectedValues(for: [\.moneyAmounts]).moneyAmounts.map(\.matchedString) == ["5 €"])
    }

    @Test func onlyTheBeginningOfALongTextIsRead() async throws {
        let limit = 64 * 1024
        let long = "https://example.com/" + String(repeating: " é", count: 18_000_000) + " https://example.org"
        await put([data("public.utf8-plain-text") { Data(long.utf8) }])
        let values = try await pasteboard.detectedValues(for: [
            \.links, \.probableWebURL, \.number, \.probableWebSearch,
        ])
        #expect(values.links.map(\.matchedString) == ["https://example.com/"])
        #expect(values.patterns == [\.links])
        // A character that the limit splits is left out. Patterns of the whole text are not reported for a text that
        // was not read whole.
        for count in limit - 3...limit + 1 {
            for character in ["9", "é", "€", "😀"] {
                let text = String(repeating: "a", count: count - 1) + character
                await put([data("public.utf8-plain-text") { Data(text.utf8) }])
                #expect(try await pasteboard.detectedPatterns(for: [\.number, \.probableWebURL]).isEmpty)
            }
        }
    }

    @Test func onlyTheBeginningOfAFileIsRead() async throws {
        let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
            "purvey-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("call 212-555-0123".utf8).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        // A sparse file that is larger than any memory.
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        let item = NSItemProvider()
        item.registerFileRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) { completion in
            completion(file, false, nil)
            return nil
        }
        await put([item])
        #expect(try await pasteboard.detectedPatterns(for: [\.phoneNumbers]) == [\.phoneNumbers])
    }

    // MARK: - Failures

    @Test func anEmptyPasteboardHasNoPatterns() async throws {
        #expect(try await pasteboard.detectedPatterns(for: [\.links]).isEmpty)
        #expect(try await pasteboard.detectedPatterns(for: [\.links], inItemSet: nil).isEmpty)
        #expect(try await pasteboard.detectedValues(for: [\.number]).patterns.isEmpty)
        #expect(
            try await handled { done in
                pasteboard.detectValues(for: [.number]) { result in done(result.map(\.isEmpty)) }
            })
        await put(texts: [""])
        #expect(
            try await pasteboard.detectedPatterns(for: [\.links, \.probableWebSearch, \.probableWebURL, \.number])
                .isEmpty)
    }

    private func code(_ body: () async throws -> Void) async -> Int? {
        do { try await body() } catch {
            let error = error as NSError
            return error.domain == NSItemProvider.errorDomain ? error.code : nil
        }
        return nil
    }

    @Test func anItemThatIsNotThereIsAnError() async throws {
        await put(texts: ["42"])
        let unavailable = NSItemProvider.ErrorCode.itemUnavailableError.rawValue
        for set in [[1], [0, 7], IndexSet(integersIn: 0..<1_000_000_000), [Int.max - 1]] as [IndexSet] {
            #expect(
                await code { _ = try await pasteboard.detectedPatterns(for: [\.number], inItemSet: set) } == unavailable
            )
            #expect(
                await code {
                    _ = try await handled {
                        pasteboard.detectPatterns(for: [.number], inItemSet: set, completionHandler: $0)
                    }
                } == unavailable)
        }
        #expect(try await pasteboard.detectedPatterns(for: [\.number], inItemSet: []).isEmpty)
    }

    @Test func aProviderThatFailsIsAnError() async throws {
        await put([data("public.utf8-plain-text") { throw CocoaError(.fileReadNoPermission) }])
        do {
            _ = try await pasteboard.detectedValues(for: [\.links])
            Issue.record("it succeeded")
        } catch {
            let error = error as NSError
            #expect(error.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
            #expect(
                (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == CocoaError.fileReadNoPermission.rawValue)
        }
    }

    @Test func bytesThatAreNoTextAreAnError() async throws {
        let uncoercible = NSItemProvider.ErrorCode.unavailableCoercionError.rawValue
        for bytes in [[0xFF], [0xC3, 0x28], [0x41, 0x80, 0x80], Array(repeating: 0xFE, count: 100_000)] as [[UInt8]] {
            await put([data("public.utf8-plain-text") { Data(bytes) }])
            #expect(await code { _ = try await pasteboard.detectedValues(for: [\.links]) } == uncoercible)
        }
    }

    @Test func aDirectoryHasNoText() async throws {
        let item = NSItemProvider()
        item.registerFileRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) { completion in
            completion(URL(fileURLWithPath: NSTemporaryDirectory()), false, nil)
            return nil
        }
        await put([item])
        #expect(
            await code { _ = try await pasteboard.detectedValues(for: [\.links]) }
                == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
    }

    @Test func aTaskThatIsCancelledWaitsNoLonger() async throws {
        let item = NSItemProvider()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        item.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) { _ in
            ask.finish()
            return Progress.discreteProgress(totalUnitCount: 1)
        }
        await put([item])
        let pasteboard = pasteboard
        let task = Task { try await pasteboard.detectedValues(for: [\.links]) }
        for await _ in asked {}
        task.cancel()
        let result = await task.result
        #expect(throws: CocoaError.self) { try result.get() }
    }

    @Test func aPasteboardThatCannotBeReachedIsAnError() async {
        let pasteboard = UIPasteboard(name, UnreachableBoards())
        await #expect(throws: CocoaError.self) { try await pasteboard.detectedPatterns(for: [\.links]) }
    }

    /// A detector that takes more than linear time would not finish with these texts.
    @Test func noTextTakesLongerThanItsLengthSays() {
        let everything: Set<PartialKeyPath<UIPasteboard.DetectedValues>> = [
            \.probableWebURL, \.probableWebSearch, \.number, \.links, \.phoneNumbers, \.emailAddresses,
            \.postalAddresses,
            \.calendarEvents, \.shipmentTrackingNumbers, \.flightNumbers, \.moneyAmounts,
        ]
        for piece in [
            "1", "a", "(", ")", "((1", "(1)", "@", "a@", "a.", "a@a.", ".", "-", "1-", "1 ", "1.", "1,", "+", "+1",
            "A1", "A1 ", "/",
            "http://", "http://a", "http://a.b/(", "www.", "www.a.com/", "://", "[", "http://[", "%", "\n", ",", "1,\n",
            "$", "$1", "1$",
            "1 €", "USD", "USD ", "1 USD ", "March ", "March 1 ", "1/1/", "2024-01-01", "2024-01-01 ", "1:", "1:00 ",
            "9 am to ",
            "1 St,", "1 A St,\n", "12345 ", "NY 12345,", "A1A 1A1 ", "SW1A 2AA ", "1Z", "BA1", "BA 123 ", "é", "😀",
            "\u{301}", "\0",
            "tel ", "ext. 1 ", "Weg 1, 12345 A,", "Monday, ", "next ", "1 to ", "a-", "fedex 1",
        ] {
            let text = String(repeating: piece, count: 16 * 1024 / piece.utf8.count)
            let values = UIPasteboard.DetectedValues(of: everything, in: text)
            #expect(values.patterns.isSubset(of: everything))
        }
    }

    @Test func mixedPatternsAreDetected() {
        let everything: Set<PartialKeyPath<UIPasteboard.DetectedValues>> = [
            \.probableWebURL, \.probableWebSearch, \.number, \.links, \.phoneNumbers, \.emailAddresses,
            \.postalAddresses,
            \.calendarEvents, \.shipmentTrackingNumbers, \.flightNumbers, \.moneyAmounts,
        ]
        let pieces = [
            "1", "23", "2024", "12345", "0", "9", "a", "Z", "é", "St", "Main", "NY", "London", "SW1A", "2AA", "March",
            "May", "next",
            "Friday", "at", "to", "pm", "a.m.", "Uhr", "T", "UTC", "USD", "€", "$", "k", "million", "BA", "flight",
            "1Z", "fedex", "tel",
            "ext", "http", "://", "www.", ".com", "@", ".", ",", ":", ";", "-", "+", "/", "(", ")", "[", "]", "#", "%",
            "'", " ", " ",
            " ", "\n", "\u{A0}", "\u{2013}", "\u{301}", "😀", "\0",
        ]
        var seed: UInt64 = 42
        for _ in 0..<400 {
            var text = ""
            for _ in 0..<100 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int((seed >> 33) % UInt64(pieces.count))]
            }
            let values = UIPasteboard.DetectedValues(of: everything, in: text)
            let matches: [DDMatch] =
                values.links + values.phoneNumbers + values.emailAddresses + values.postalAddresses
                + values.calendarEvents
                + values.shipmentTrackingNumbers + values.flightNumbers + values.moneyAmounts
            for match in matches {
                let matched = match.matchedString.unicodeScalars
                #expect(!matched.isEmpty && text.unicodeScalars.contains(matched))
            }
        }
    }
}

private struct UnreachableBoards: ItemBoards {
    func items(of board: String) throws -> [NSItemProvider] { throw CocoaError(.fileReadNoSuchFile) }
    func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) throws -> Int { 0 }
    func amend(_ board: String, with items: [NSItemProvider], expecting changeCount: Int) throws -> Bool { false }
    func changeCount(of board: String) throws -> Int { 0 }
    func isTouched(_ board: String) throws -> Bool { false }
    func remove(_ board: String) throws {}
}
