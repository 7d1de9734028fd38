import FileTesting

/// Changes of modes, dates and extended attributes, and files that are opened for writing without being changed.
extension CourseWriter {
    private static let names = ["user.color", "user.origin", "user.für später"]

    mutating func setAttributes(_ deed: Scenario.Deed) {
        switch deed {
        case .setMode:
            let mode: UInt16 = [0o600, 0o640, 0o755, 0o700][generator.below(4)]
            guard let path = any({ path, what in !Self.isTheirs(path) && !what.hasPrefix("-> ") }) else { return }
            // The owner keeps all permissions of a directory, so that the trees can be compared in the end.
            attributes[path, default: SetAttributes()].mode = tree[path] == "folder" ? 0o700 | mode : mode
            operations.append(.setMode(path, attributes[path]?.mode ?? mode))
        case .setDate:
            // Directories are left out, as their dates change with their entries.
            guard let path = anyFile() else { return }
            let modified = 1_000_000_000 + generator.below(500_000_000)
            attributes[path, default: SetAttributes()].modified = modified
            operations.append(.setDate(path, modified))
        case .setAttribute:
            guard let path = any({ path, what in !Self.isTheirs(path) && !what.hasPrefix("-> ") }) else { return }
            let (name, value) = (Self.names[generator.below(Self.names.count)], freshName())
            attributes[path, default: SetAttributes()].extended[name] = value
            operations.append(.setAttribute(path, name, value))
        default:
            let attributes = attributes
            guard let path = any({ path, _ in attributes[path]?.extended.isEmpty == false }),
                let name = attributes[path]?.extended.keys.min()
            else { return }
            self.attributes[path]?.extended[name] = nil
            operations.append(.setAttribute(path, name, nil))
        }
    }

    /// Opens a file that is not written locally.
    mutating func open() {
        if let path = anyOfTheirs() { operations.append(.open(path)) }
    }

    /// Reads a random part of a large file.
    mutating func readPart() {
        guard let path = anyLarge(), let text = tree[path] else { return }
        let count = 1 + generator.below(100_000)
        let start = generator.below(text.utf8.count - count)
        operations.append(.readPart(path, start, count, versions[path, default: []] + [text]))
    }

    mutating func putLarge() {
        guard let path = anyLarge(), Self.isTheirs(path), let old = tree[path] else { return }
        versions[path, default: []].append(old)
        let new = text(path, size: old.utf8.count)
        tree[path] = new
        operations.append(.put(path, new))
    }

    private mutating func anyLarge() -> String? { any { $1.utf8.count >= Self.partSize } }

    /// The smallest size of files that are fetched in parts.
    static let partSize = 4 << 20
}
