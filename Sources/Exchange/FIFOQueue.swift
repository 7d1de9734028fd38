/// A first-in, first-out queue with constant-time operations at both ends.
struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    /// The index of the first element. The elements before it were removed.
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            // Amortized: moving the rest costs no more than the removals since the last move.
            if head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    /// Removes elements for which a condition holds.
    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isGone($0) } ?? false }
        head = 0
    }

    /// All elements, in order.
    var all: [Element] { elements[head...].compactMap { $0 } }
}
