/// The type information of one cache, with every type's name replaced by its number. Read once, when the cache is
/// opened.
struct MIMECacheTypes: Sendable {
    /// The types by string offset.
    fileprivate(set) var offsets = MIMETypeOffsets()
    /// The aliases, with the types that they denote.
    fileprivate(set) var aliases: [(alias: MIMETypeNames.ID, type: MIMETypeNames.ID)] = []
    fileprivate(set) var parents: [(type: MIMETypeNames.ID, parent: MIMETypeNames.ID)] = []
    /// The types whose patterns from directories of lower precedence are ignored, as this cache declares.
    fileprivate(set) var withoutEarlierGlobs: Set<MIMETypeNames.ID> = []
    /// The file name patterns, by shape: suffixes, whole names, and patterns with other wildcards.
    fileprivate(set) var suffixes: [FileNameIndex.Pattern] = []
    fileprivate(set) var literals: [FileNameIndex.Pattern] = []
    fileprivate(set) var globs: [FileNameIndex.Pattern] = []
    /// The types of XML vocabularies, with the root elements by which they are recognized.
    fileprivate(set) var namespaces: [(root: XMLRootElement, type: MIMETypeNames.ID)] = []
}

extension MIMECache {
    /// The literal that update-mime-database writes for `glob-deleteall`; ``MagicProgram`` has a similar value for
    /// `magic-deleteall`.
    private static let noGlobs = "__NOGLOBS__"
    /// The flag of a case-sensitive pattern, in the same word as the weight.
    private static let caseSensitiveFlag = 0x100
    /// The maximum number of patterns with inner wildcards, which are tried one by one. Debian's database has seven.
    private static let mostGlobs = 1 << 10

    /// Reads those lists of the cache that contain names of types. Returns `nil` if the tree of suffixes has a cycle.
    func types(_ names: inout MIMETypeNames) -> MIMECacheTypes? {
        var types = MIMECacheTypes()
        let aliases = entries(of: .aliases, size: 8)
        for entry in 0..<aliases.count {
            let place = aliases.start + 8 * entry
            guard let alias = number(word(place), &types, &names), let type = number(word(place + 4), &types, &names)
            else { continue }
            types.aliases.append((alias, type))
        }
        readParents(&types, &names)
        readNames(&types, &names)
        guard readSuffixes(&types, &names) else { return nil }
        readMagicTypes(&types, &names)
        readNamespaces(&types, &names)
        return types
    }

    /// Returns the number of the type whose name is at the given offset of the file.
    private func number(
        _ offset: Int, _ types: inout MIMECacheTypes, _ names: inout MIMETypeNames
    ) -> MIMETypeNames.ID? {
        let known = types.offsets[offset]
        if known >= 0 { return known }
        guard types.offsets.count < Self.mostEntries, let bytes = string(offset), bytes.count >= 3 else { return nil }
        let number = names.intern(String(decoding: bytes, as: UTF8.self))
        types.offsets.add(offset, number)
        return number
    }

    private func readParents(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        let parents = entries(of: .parents, size: 8)
        var budget = Self.mostEntries
        for entry in 0..<parents.count {
            let place = parents.start + 8 * entry
            guard let type = number(word(place), &types, &names) else { continue }
            let list = word(place + 4)
            for index in 0..<fitting(word(list), at: list + 4, size: 4) {
                budget -= 1
                guard budget >= 0 else { return }
                guard let parent = number(word(list + 4 + 4 * index), &types, &names) else { continue }
                types.parents.append((type, parent))
            }
        }
    }

    private func readNames(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        for list in [List.literals, .globs] {
            let entries = entries(of: list, size: 12)
            for entry in 0..<entries.count {
                let place = entries.start + 12 * entry
                guard let text = string(word(place)), let type = number(word(place + 4), &types, &names) else {
                    continue
                }
                if text.elementsEqual(Self.noGlobs.utf8) {
                    types.withoutEarlierGlobs.insert(type)
                } else if list == .literals {
                    types.literals.append(pattern(Array(text), type, word(place + 8)))
                } else if types.globs.count < Self.mostGlobs {
                    types.globs.append(pattern(Array(text), type, word(place + 8)))
                }
            }
        }
    }

    private func pattern(_ text: [UInt8], _ type: MIMETypeNames.ID, _ flags: Int) -> FileNameIndex.Pattern {
        FileNameIndex.Pattern(
            text: text, type: type, weight: UInt8(flags & 0xFF), isCaseSensitive: flags & Self.caseSensitiveFlag != 0)
    }

    private func readNamespaces(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        let list = entries(of: .namespaces, size: 12)
        for entry in 0..<list.count {
            let place = list.start + 12 * entry
            guard let type = number(word(place + 8), &types, &names), let namespace = string(word(place)),
                let localName = string(word(place + 4))
            else { continue }
            let root = XMLRootElement(
                localName: String(decoding: localName, as: UTF8.self),
                namespace: String(decoding: namespace, as: UTF8.self))
            types.namespaces.append((root, type))
        }
    }

    private func readMagicTypes(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        let list = offset(of: .magic)
        let first = word(list + 8)
        for entry in 0..<min(fitting(word(list), at: first, size: 16), Self.mostEntries) {
            _ = number(word(first + 16 * entry + 4), &types, &names)
        }
    }

    /// Visits every node of the suffix tree. Returns `false` if the walk visits more nodes than fit into the file,
    /// because the tree then has a cycle.
    private func readSuffixes(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) -> Bool {
        struct Level {
            var next: Int
            var remaining: Int
        }
        let root = offset(of: .suffixes)
        let roots = fitting(word(root), at: word(root + 4), size: 12)
        var levels = [Level(next: word(root + 4), remaining: roots)]
        var suffix: [Unicode.Scalar] = []
        var budget = count / 12
        while let level = levels.last {
            guard level.remaining > 0 else {
                levels.removeLast()
                if !suffix.isEmpty { suffix.removeLast() }
                continue
            }
            budget -= 1
            guard budget > 0 else { return false }
            let node = level.next
            levels[levels.count - 1].next += 12
            levels[levels.count - 1].remaining -= 1
            let character = word(node)
            guard character != 0 else {
                guard let type = number(word(node + 4), &types, &names), !suffix.isEmpty,
                    types.suffixes.count < Self.mostEntries
                else { continue }
                var text: [UInt8] = []
                for scalar in suffix.reversed() { text.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
                guard text.count <= Self.longestString else { continue }
                types.suffixes.append(pattern(text, type, word(node + 8)))
                continue
            }
            guard let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: character)),
                suffix.count < Self.longestString
            else { continue }
            let first = word(node + 8)
            levels.append(Level(next: first, remaining: fitting(word(node + 4), at: first, size: 12)))
            suffix.append(scalar)
        }
        return true
    }
}
