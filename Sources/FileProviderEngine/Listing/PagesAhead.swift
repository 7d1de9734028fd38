import FileProvider

/// The pages of one listing, each of which is asked for while those before it are written.
///
/// Each page says what the one after it is asked by, so they come one after the other; but neither the provider nor who writes
/// waits for the other as long as it is less than ``depth`` pages behind or ahead.
struct PagesAhead {
    typealias Page = DomainEngine.Page
    /// What came of a question; `nil` where there was nothing to be asked.
    private typealias Answer = Result<Page, ProviderFailure>?

    /// So many at most are asked for and not given.
    private static let depth = 2

    private let ask: @Sendable ([UInt8]?) async throws(ProviderFailure) -> Page
    private var questions: [Task<Answer, Never>] = []
    /// The page that was given last, until the next one is wanted.
    private var given: Page?
    private var isBegun = false

    /// - Parameter ask: gives the page that another one named as the next, or the first.
    init(asking ask: @escaping @Sendable ([UInt8]?) async throws(ProviderFailure) -> Page) { self.ask = ask }

    /// The page after the one that this gave before; `nil` after the last.
    ///
    /// - Throws: the provider's failure, after which there are no more. What comes after a page that cannot be followed is one.
    mutating func next() async throws(ProviderFailure) -> Page? {
        if let written = given.take() {
            // The thousands of its items are not let go of on the thread that writes.
            defer { Task.detached { withExtendedLifetime(written) {} } }
            guard written.hasUsableNext else {
                throw ProviderFailure(.badAnswer, message: "The provider gave a page of more than 500 bytes.")
            }
            guard written.page.next != nil else { return nil }
        } else if !isBegun {
            isBegun = true
            enqueue(after: nil)
        } else {
            return nil
        }
        let question = questions.removeFirst()
        let answer = await withTaskCancellationHandler {
            await question.value
        } onCancel: {
            question.cancel()
        }
        while questions.count < Self.depth { enqueue(after: questions.last ?? question) }
        given = try answer?.get()
        return given
    }

    /// Gives up what was asked for and not given.
    func cancel() {
        for question in questions { question.cancel() }
    }

    /// Asks for a page once the one before it is there, and not on the engine's thread, which is busy with writing.
    private mutating func enqueue(after before: Task<Answer, Never>?) {
        let question = Task.detached { [ask] () -> Answer in
            var next: [UInt8]?
            if let before {
                guard case .success(let page)? = await before.value, page.hasUsableNext, page.page.next != nil else {
                    return nil
                }
                next = page.page.next
            }
            guard !Task.isCancelled else { return .failure(.closed) }
            do throws(ProviderFailure) {
                return .success(try await ask(next))
            } catch {
                return .failure(error)
            }
        }
        questions.append(question)
    }
}
