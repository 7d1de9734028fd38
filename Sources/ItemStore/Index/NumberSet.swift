/// A set of item numbers, stored as ranges because most of them are consecutive.
struct NumberSet {
    private var ranges: [ClosedRange<Int64>] = []
    private var isSorted = true

    mutating func insert(_ number: ItemNumber) {
        let number = number.rawValue
        guard let last = ranges.last else {
            ranges.append(number...number)
            return
        }
        if number == last.upperBound + 1 {
            ranges[ranges.count - 1] = last.lowerBound...number
        } else if !last.contains(number) {
            if number < last.lowerBound { isSorted = false }
            ranges.append(number...number)
        }
    }

    mutating func contains(_ number: ItemNumber) -> Bool {
        if !isSorted { sort() }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number.rawValue)
    }

    private mutating func sort() {
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var merged: [ClosedRange<Int64>] = []
        for range in ranges {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
        isSorted = true
    }
}
