/// A set of up to ten thousand paths. Members above or beneath a given path are found in logarithmic time.
struct SortedPaths {
    /// The distinct paths. In their order, each path is directly followed by all paths beneath it.
    let paths: [ExactPath]
    /// The paths that are not beneath another path of the set.
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

    /// Whether `path` is in the set or beneath a member of the set.
    func cover(_ path: ExactPath) -> Bool {
        if topmost.isEmpty { return false }
        // Only the last topmost path that does not follow `path` can be at or above `path`. All paths between a
        // directory and `path`, which lies beneath the directory, also lie beneath it, so they are not topmost.
        let following = Self.firstIndex(in: topmost) { PlainPath.precedes(path, $0) }
        return following > 0 && PlainPath.isAtOrBeneath(path, topmost[following - 1])
    }

    /// Returns the members of the set that are beneath `path`.
    func beneath(_ path: ExactPath) -> ArraySlice<ExactPath> {
        if paths.isEmpty { return [] }
        let start = Self.firstIndex(in: paths) { PlainPath.precedes(path, $0) }
        let end = Self.firstIndex(in: paths) { PlainPath.precedes(path, $0) && !PlainPath.isBeneath($0, path) }
        return paths[start..<end]
    }

    /// Whether `path` is in the set or above a member of the set.
    func reach(_ path: ExactPath) -> Bool {
        let place = Self.firstIndex(in: paths) { !PlainPath.precedes($0, path) }
        return place < paths.endIndex && PlainPath.isAtOrBeneath(paths[place], path)
    }

    /// Returns the index of the first path that meets a condition, by binary search. All paths after that path must
    /// meet the condition, too.
    private static func firstIndex(in paths: [ExactPath], where isTrue: (ExactPath) -> Bool) -> Int {
        var (low, high) = (paths.startIndex, paths.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isTrue(paths[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
