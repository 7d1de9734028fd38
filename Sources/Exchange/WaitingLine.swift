/// First come, first served: both ends in constant time.
struct WaitingLine<Element> {
    private var elements: [Element?] = []
    /// Those before it have been served.
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            // Moving the rest costs as much as was served since it was last moved.
            if head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    /// Takes out those who do not wait any more.
    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isGone($0) } ?? false }
        head = 0
    }

    /// Everybody who waits, in order.
    var all: [Element] { elements[head...].compactMap { $0 } }
}
