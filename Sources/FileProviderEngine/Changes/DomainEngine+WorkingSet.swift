import FileProvider

/// The working set as the provider lists it: what it holds to be of use to a person, wherever that lies.
extension DomainEngine {
    /// As many pages are asked for; what comes after them is found by looking into folders.
    private static let mostPages = 500

    /// Times that it begins anew because its pages expired.
    private static let beginnings = 3

    /// Set once it was listed to its end, or cannot be.
    static let workingSetSetting = "workingSet.listed"

    func isWorkingSetListed() throws(ProviderFailure) -> Bool {
        try onRecord { () throws(IndexFailure) in try index.setting(Self.workingSetSetting) != nil }
    }

    /// Brings the working set into the index, so that it is there without the provider. It serves convenience: a provider that
    /// cannot list it, or dies of the question, goes on being asked for changes.
    ///
    /// - Throws: what may pass, or is wrong on this machine: it is to be done again.
    func enumerateWorkingSet() async throws(ProviderFailure) {
        var after: [UInt8]?
        var seen: Set<[UInt8]> = []
        var beginning = 1
        for _ in 0..<Self.mostPages {
            let (items, question): ([ProviderItem], AnswerOrder.Question)
            let era = signInEra
            do throws(ProviderFailure) {
                let answer = try await page(of: ProviderItem.workingSetIdentifier, after: after)
                // What a folder lists says where it is; of others the way there has to be known.
                (items, question) = (try await withAncestors(answer.page.items), answer.question)
                after = answer.page.next
            } catch {
                if error.kind == .expired, beginning < Self.beginnings {
                    beginning += 1
                    (after, seen) = (nil, [])
                    continue
                }
                guard error.isForGood else {
                    if error.kind == .transient { changes.workingSetFailures += 1 }
                    guard changes.mayListWorkingSet else { return }
                    throw error
                }
                noteFailure(error, askedIn: era)
                break
            }
            guard !isClosed else { throw .closed }
            try apply(items, listedIn: nil, answering: question)
            guard let next = after, next.count <= 500, seen.insert(next).inserted else { break }
        }
        guard !isClosed else { throw .closed }
        try writeMakingRoom { writer throws(IndexFailure) in try writer.setSetting(Self.workingSetSetting, [1]) }
    }
}

extension ProviderFailure {
    /// Whether a provider that answers so cannot list its working set, whenever it is asked.
    fileprivate var isForGood: Bool {
        switch kind {
        // Of the end of its process it was asked again at once, more than once: it dies of it.
        case .unsupported, .noSuchItem, .notPermitted, .badAnswer, .cannotSynchronize, .expired, .processEnded: true
        default: false
        }
    }
}
