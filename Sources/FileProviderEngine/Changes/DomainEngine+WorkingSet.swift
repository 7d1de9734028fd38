import FileProvider

/// The working set as the provider lists it: what it holds to be of use to a person, wherever that lies.
extension DomainEngine {
    /// As many pages are asked for; what comes after them is found by looking into folders.
    private static let mostPages = 500

    private static let listedSetting = "workingSet.listed"

    func isWorkingSetListed() throws(ProviderFailure) -> Bool {
        try onRecord { () throws(IndexFailure) in try index.setting(Self.listedSetting) != nil }
    }

    /// Brings the working set into the index, so that it is there without the provider. It serves convenience: a provider that
    /// fails here goes on being asked for changes.
    ///
    /// - Throws: what is wrong on this machine.
    func enumerateWorkingSet() async throws(ProviderFailure) {
        var after: [UInt8]?
        var seen: Set<[UInt8]> = []
        for _ in 0..<Self.mostPages {
            let (items, question): ([ProviderItem], AnswerOrder.Question)
            let era = signInEra
            do throws(ProviderFailure) {
                let answer = try await page(of: ProviderItem.workingSetIdentifier, after: after)
                // What a folder lists says where it is; of others the way there has to be known.
                (items, question) = (try await withAncestors(answer.page.items), answer.question)
                after = answer.page.next
            } catch {
                noteFailure(error, askedIn: era)
                break
            }
            guard !isClosed else { throw .closed }
            try apply(items, listedIn: nil, answering: question)
            guard let next = after, next.count <= 500, seen.insert(next).inserted else { break }
        }
        guard !isClosed else { throw .closed }
        try write { writer throws(IndexFailure) in try writer.setSetting(Self.listedSetting, [1]) }
    }
}
