import ItemStore

/// A queue of items by due time, earliest first.
struct TimeQueue: Sendable {
    private struct Entry: Sendable {
        var time: Double
        var order: UInt64
        var number: ItemNumber
    }

    /// A binary heap. An entry whose order is no longer the one in `current` is outdated and is skipped.
    private var heap: [Entry] = []
    private var current: [ItemNumber: Entry] = [:]
    private var counter: UInt64 = 0

    /// Inserts the given item, replacing its earlier entry.
    mutating func put(_ number: ItemNumber, at time: Double) {
        counter += 1
        let place = Entry(time: time, order: counter, number: number)
        current[number] = place
        heap.append(place)
        var index = heap.count - 1
        while index > 0, isBefore(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func remove(_ number: ItemNumber) { current[number] = nil }

    /// Returns the time at which the given item is due; `nil` if it is not in the queue.
    func time(of number: ItemNumber) -> Double? { current[number]?.time }

    /// Returns the number of items that are due after the given time and satisfy the given condition.
    func count(after time: Double, where isCounted: (ItemNumber) -> Bool) -> Int {
        heap.count { $0.time > time && current[$0.number]?.order == $0.order && isCounted($0.number) }
    }

    /// Returns the due time of the first item; `nil` if the queue is empty.
    mutating func nextTime() -> Double? {
        dropOutdated()
        return heap.first?.time
    }

    /// Returns the earliest item that is due at the time `now`; `nil` if none is.
    mutating func first(at now: Double) -> ItemNumber? {
        dropOutdated()
        guard let first = heap.first, first.time <= now else { return nil }
        return first.number
    }

    /// Removes and returns the earliest item that is due at the time `now`; `nil` if none is.
    mutating func take(at now: Double) -> ItemNumber? {
        guard let number = first(at: now) else { return nil }
        removeFirst()
        current[number] = nil
        return number
    }

    private mutating func dropOutdated() {
        while let first = heap.first, current[first.number]?.order != first.order { removeFirst() }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(heap[child], heap[least]) {
                least = child
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        left.time != right.time ? left.time < right.time : left.order < right.order
    }
}
