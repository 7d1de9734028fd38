import FileProviderWire

/// Detects a listing that continues without end and reports nothing new.
struct EndlessListing {
    let limit: Int
    let mostItems: Int
    private var seen: Set<[UInt8]> = []
    private var items = 0
    private var pagesWithoutNews = 0
    private var emptyPages = 0

    init(limit: Int, mostItems: Int) {
        self.limit = limit
        self.mostItems = mostItems
    }

    /// Records a page of a listing, and returns whether the listing is endless.
    ///
    /// - Parameters:
    ///   - news: The number of items of the page that were not in the index before.
    ///   - known: A function that returns the number of items in the directory. It is costly, so it is called only if
    ///     needed.
    mutating func isEndless(_ page: ItemPage, news: Int, known: () -> Int) -> Bool {
        items += page.items.count
        emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
        pagesWithoutNews = news == 0 ? pagesWithoutNews + 1 : 0
        // A page token that was returned before leads to the same pages again.
        if let next = page.next, !seen.insert(next).inserted { return true }
        if emptyPages >= limit || items > mostItems { return true }
        // A refresh has pages without new items, too. But it includes each item only once, so it has about as many
        // items as the directory.
        return pagesWithoutNews >= limit && pagesWithoutNews % limit == 0 && items > 2 * known() + 1000
    }

    /// Records a page of a listing whose items are not compared with the index. All items of the page count as new.
    ///
    /// - Throws: A failure of kind `badAnswer` if the listing is endless.
    mutating func check(_ page: ItemPage) throws(ProviderError) {
        guard isEndless(page, news: page.items.count, known: { 0 }) else { return }
        throw ProviderError(.badAnswer, message: "The provider's listing of the folder does not end.")
    }
}
