/// File names are matched on their bytes. Patterns without the case-sensitive flag are in lower case in the cache, so
/// the name is folded (ASCII only, as `update-mime-database` does) while it is compared, without a copy.
extension MIMECache {
    private static let caseSensitiveFlag = 0x100

    /// How letters are compared in one pass over the patterns.
    private enum Pass {
        /// The name has no upper case: one pass serves patterns of both kinds.
        case plain
        /// The name in lower case against patterns that ignore case.
        case folded
        /// The name as it is against patterns that respect case.
        case exact

        @inline(__always)
        var isFolding: Bool { self == .folded }

        @inline(__always)
        func accepts(_ flags: Int) -> Bool {
            switch self {
            case .plain: true
            case .folded: flags & MIMECache.caseSensitiveFlag == 0
            case .exact: flags & MIMECache.caseSensitiveFlag != 0
            }
        }
    }

    /// Adds the types whose patterns match a file name. Literal names are looked for first; nothing else is if the
    /// matches already have one.
    func collect(
        fileName name: UnsafeRawBufferPointer, _ types: MIMETypeOffsets, excluding: Set<MIMETypeNames.ID>,
        into matches: inout GlobMatches
    ) {
        let hasUpperCase = name.contains { $0 &- 0x41 < 26 }
        let add = { (matches: inout GlobMatches, offset: Int, flags: Int, length: Int) in
            let type = types[offset]
            guard excluding.isEmpty || !excluding.contains(type) else { return }
            matches.add(GlobMatches.Match(type: type, weight: Int32(flags & 0xFF), length: Int32(length)))
        }
        if hasUpperCase {
            literals(name, .folded, add, &matches)
            literals(name, .exact, add, &matches)
        } else {
            literals(name, .plain, add, &matches)
        }
        guard !matches.isLiteral else { return }
        if hasUpperCase {
            suffixes(name, .folded, add, &matches)
            suffixes(name, .exact, add, &matches)
        } else {
            suffixes(name, .plain, add, &matches)
        }
        globs(name, hasUpperCase, add, &matches)
    }

    /// Adds the types of a whole extension: of `*.tar.gz` for `tar.gz`, but not of `*.gz`.
    func collect(
        fileExtension name: UnsafeRawBufferPointer, _ types: MIMETypeOffsets, excluding: Set<MIMETypeNames.ID>,
        into matches: inout GlobMatches
    ) {
        let hasUpperCase = name.contains { $0 &- 0x41 < 26 }
        let add = { (matches: inout GlobMatches, offset: Int, flags: Int, length: Int) in
            let type = types[offset]
            guard length == name.count, excluding.isEmpty || !excluding.contains(type) else { return }
            matches.add(GlobMatches.Match(type: type, weight: Int32(flags & 0xFF), length: Int32(length)))
        }
        suffixes(name, hasUpperCase ? .folded : .plain, add, &matches)
        if hasUpperCase { suffixes(name, .exact, add, &matches) }
    }

    private typealias Add = (inout GlobMatches, _ type: Int, _ flags: Int, _ length: Int) -> Void

    /// Looks for the name in the sorted list of literal names.
    @inline(__always)
    private func literals(
        _ name: UnsafeRawBufferPointer, _ pass: Pass, _ add: Add, _ matches: inout GlobMatches
    ) {
        let (start, count) = entries(of: .literals, size: 12)
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if compare(name, pass, toStringAt: word(start + 12 * middle)) > 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        while low < count, compare(name, pass, toStringAt: word(start + 12 * low)) == 0 {
            let flags = word(start + 12 * low + 8)
            if pass.accepts(flags) {
                if !matches.isLiteral {
                    matches = GlobMatches()
                    matches.isLiteral = true
                }
                add(&matches, word(start + 12 * low + 4), flags, name.count)
            }
            low += 1
        }
    }

    /// The order of the name and a zero-terminated string of the file: negative, 0 or positive as in strcmp(3).
    @inline(__always)
    private func compare(_ name: UnsafeRawBufferPointer, _ pass: Pass, toStringAt offset: Int) -> Int {
        var index = 0
        while index < name.count {
            guard offset + index < count else { return 1 }
            let theirs = base.load(fromByteOffset: offset + index, as: UInt8.self)
            let ours = pass.isFolding ? name[index].foldedASCII : name[index]
            if ours != theirs || theirs == 0 { return Int(ours) - Int(theirs) }
            index += 1
        }
        guard offset + index < count else { return -1 }
        return base.load(fromByteOffset: offset + index, as: UInt8.self) == 0 ? 0 : -1
    }

    /// Walks down the tree of reversed suffixes with the name's last character, the one before it, and so on.
    /// Each step consumes a character, so the walk ends however the nodes point.
    @inline(__always)
    private func suffixes(
        _ name: UnsafeRawBufferPointer, _ pass: Pass, _ add: Add, _ matches: inout GlobMatches
    ) {
        let root = offset(of: .suffixes)
        var first = word(root + 4)
        var siblings = fitting(word(root), at: first, size: 12)
        var end = name.count
        while siblings > 0 {
            let character: Int
            var start = end - 1
            if end == 0 {
                return
            } else if name[start] < 0x80 {
                character = Int(pass.isFolding ? name[start].foldedASCII : name[start])
                if character == 0 { return }
            } else {
                guard let (scalar, length) = Self.lastScalar(of: name, before: end) else { return }
                character = scalar
                start = end - length
            }
            var low = 0
            var high = siblings
            while low < high {
                let middle = (low &+ high) / 2
                if word(first &+ 12 &* middle) < character { low = middle &+ 1 } else { high = middle }
            }
            let node = first &+ 12 &* low
            guard low < siblings, word(node) == character else { return }
            first = word(node &+ 8)
            siblings = fitting(word(node &+ 4), at: first, size: 12)
            end = start
            // Types that end here are children with the character 0, which sort before all others.
            var leaf = 0
            while leaf < siblings, word(first &+ 12 &* leaf) == 0 {
                let flags = word(first &+ 12 &* leaf &+ 8)
                if pass.accepts(flags) { add(&matches, word(first &+ 12 &* leaf &+ 4), flags, name.count - end) }
                leaf += 1
            }
            first &+= 12 &* leaf
            siblings -= leaf
        }
    }

    /// The Unicode scalar whose UTF-8 form ends at an index, with its length in bytes; `nil` for malformed bytes.
    private static func lastScalar(
        of name: UnsafeRawBufferPointer, before end: Int
    ) -> (scalar: Int, length: Int)? {
        var value = 0
        for length in 1...4 where end - length >= 0 {
            let byte = Int(name[end - length])
            if byte & 0xC0 == 0x80 {
                value |= (byte & 0x3F) << (6 * (length - 1))
                continue
            }
            let leading: Int
            switch length {
            case 2 where byte & 0xE0 == 0xC0: leading = byte & 0x1F
            case 3 where byte & 0xF0 == 0xE0: leading = byte & 0x0F
            case 4 where byte & 0xF8 == 0xF0: leading = byte & 0x07
            default: return nil
            }
            return (value | leading << (6 * (length - 1)), length)
        }
        return nil
    }

    /// Tries the few patterns that are neither a literal name nor a suffix, those only that could still win.
    @inline(__always)
    private func globs(
        _ name: UnsafeRawBufferPointer, _ hasUpperCase: Bool, _ add: Add, _ matches: inout GlobMatches
    ) {
        let (start, count) = entries(of: .globs, size: 12)
        for index in 0..<count {
            let entry = start + 12 * index
            let flags = word(entry + 8)
            guard Int32(flags & 0xFF) >= matches.bestWeight, let pattern = string(word(entry)) else { continue }
            let isFolding = hasUpperCase && flags & Self.caseSensitiveFlag == 0
            guard Wildcard.matches(pattern, name, foldingCase: isFolding) else { continue }
            add(&matches, word(entry + 4), flags, pattern.count)
        }
    }
}
