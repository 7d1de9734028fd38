/// When files were used last, as far as the index does not know it yet.
///
/// A program that goes through many files uses none of them in the sense of a person's recent files: what is opened in a span of
/// time in which more than a few files are is not counted.
struct PersonalUses: Sendable {
    private var span: [ItemNumber: Double] = [:]
    private var start = -Double.infinity
    private var isWalk = false
    private var settled: [ItemNumber: Double] = [:]

    /// Seconds.
    private static let length = 10.0
    private static let most = 50

    /// - Parameter now: seconds since 1970.
    mutating func note(_ number: ItemNumber, _ now: Double) {
        if now - start >= Self.length || now < start {
            settled.merge(span) { max($0, $1) }
            span = [:]
            start = now
            isWalk = false
        }
        guard !isWalk else { return }
        span[number] = now
        guard span.count > Self.most else { return }
        span = [:]
        isWalk = true
    }

    /// Whether there is something for the index.
    var isDue: Bool { !settled.isEmpty }

    var all: [ItemNumber: Double] { settled.merging(span) { max($0, $1) } }

    /// What the index is to know.
    ///
    /// - Parameter isEnd: whether nothing comes any more, so that the span that has begun counts too.
    func due(isEnd: Bool) -> [ItemNumber: Double] { isEnd ? all : settled }

    /// Gives the uses of an item another number.
    mutating func move(_ number: ItemNumber, to other: ItemNumber) {
        span[other] = span.removeValue(forKey: number)
        settled[other] = settled.removeValue(forKey: number)
    }

    /// The index knows of some uses.
    mutating func forget(_ uses: [ItemNumber: Double]) {
        for (number, time) in uses {
            if settled[number] == time { settled[number] = nil }
            if span[number] == time { span[number] = nil }
        }
    }
}
