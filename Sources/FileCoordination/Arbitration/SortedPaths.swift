/// A set of up to ten thousand paths, in which those above or beneath another path are found in logarithmic time.
struct SortedPaths {
    /// The distinct paths, sorted so that those beneath a path follow it directly.
    let paths: [ExactPath]
    /// The paths that are not beneath another one.
    private let topmost: [ExactPath]

    init(_ paths: [ExactPath]) {
        var sorted: [ExactPath] = []
        var topmost: [ExactPath] = []
        for path in paths.count > 1 ? paths.sorted(by: PlainPath.precedes) : paths {
            if sorted.last == path { continue }
            sorted.append(path)
            if let last = topmost.last, PlainPath.isBeneath(path, last) { continue }
            topmost.append(path)
        }
        self.paths = sorted
        self.topmost = topmost
    }

    /// Whether a path is one of them or beneath one.
    func cover(_ path: ExactPath) -> Bool {
        if topmost.isEmpty { return false }
        // Anything between the path above and the path itself would be beneath the former.
        let following = Self.firstIndex(in: topmost) { PlainPath.precedes(path, $0) }
        return following > 0 && PlainPath.isAtOrBeneath(path, topmost[following - 1])
    }

    /// Returns the paths beneath a path.
    func beneath(_ path: ExactPath) -> ArraySlice<ExactPath> {
        if paths.isEmpty { return [] }
        let start = Self.firstIndex(in: paths) { PlainPath.precedes(path, $0) }
        let end = Self.firstIndex(in: paths) { PlainPath.precedes(path, $0) && !PlainPath.isBeneath($0, path) }
        return paths[start..<end]
    }

    /// Whether a path is one of them or above one.
    func reach(_ path: ExactPath) -> Bool {
        let place = Self.firstIndex(in: paths) { !PlainPath.precedes($0, path) }
        return place < paths.endIndex && PlainPath.isAtOrBeneath(paths[place], path)
    }

    /// Returns the first index from which a condition holds for all paths.
    private static func firstIndex(in paths: [ExactPath], where isTrue: (ExactPath) -> Bool) -> Int {
        var (low, high) = (paths.startIndex, paths.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isTrue(paths[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
