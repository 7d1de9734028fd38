/// What one cache says about types, with every type's name turned into its number. Made once, when the cache is opened.
struct MIMECacheTypes: Sendable {
    /// The type that each string offset means.
    fileprivate(set) var offsets = MIMETypeOffsets()
    /// Alias, then what it stands for.
    fileprivate(set) var aliases: [(alias: MIMETypeNames.ID, type: MIMETypeNames.ID)] = []
    fileprivate(set) var parents: [(type: MIMETypeNames.ID, parent: MIMETypeNames.ID)] = []
    /// Types for which this cache asks that patterns from directories of lower precedence be forgotten.
    fileprivate(set) var withoutEarlierGlobs: Set<MIMETypeNames.ID> = []
    /// Types with a file extension, for the way back; the extensions as they are in the cache.
    fileprivate(set) var extensions: [(type: MIMETypeNames.ID, weight: UInt8, name: String)] = []
}

extension MIMECache {
    /// The literal that update-mime-database writes for `glob-deleteall`, and the value for `magic-deleteall`.
    private static let noGlobs = "__NOGLOBS__"

    /// Reads the lists that name types; `nil` where the tree of suffixes points in circles.
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
        for list in [List.literals, .globs] {
            let entries = entries(of: list, size: 12)
            for entry in 0..<entries.count {
                let place = entries.start + 12 * entry
                guard let type = number(word(place + 4), &types, &names) else { continue }
                if list == .literals, let literal = string(word(place)), literal.elementsEqual(Self.noGlobs.utf8) {
                    types.withoutEarlierGlobs.insert(type)
                }
            }
        }
        guard readSuffixes(&types, &names) else { return nil }
        readMagicTypes(&types, &names)
        let namespaces = entries(of: .namespaces, size: 12)
        for entry in 0..<namespaces.count {
            _ = number(word(namespaces.start + 12 * entry + 8), &types, &names)
        }
        return types
    }

    /// The number of the type whose name is at an offset.
    private func number(
        _ offset: Int, _ types: inout MIMECacheTypes, _ names: inout MIMETypeNames
    ) -> MIMETypeNames.ID? {
        let known = types.offsets[offset]
        if known >= 0 { return known }
        // No registry allows more than 127 bytes on either side of the slash (RFC 6838, section 4.2).
        guard let bytes = string(offset), (3...255).contains(bytes.count) else { return nil }
        let number = names.intern(String(decoding: bytes, as: UTF8.self))
        types.offsets.add(offset, number)
        return number
    }

    private func readParents(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        let parents = entries(of: .parents, size: 8)
        // The lists of a true cache do not overlap, so together they have no more words than the file.
        var budget = count / 4
        for entry in 0..<parents.count {
            let place = parents.start + 8 * entry
            guard let type = number(word(place), &types, &names) else { continue }
            let list = word(place + 4)
            for index in 0..<fitting(word(list), at: list + 4, size: 4) {
                budget -= 1
                guard budget > 0 else { return }
                guard let parent = number(word(list + 4 + 4 * index), &types, &names) else { continue }
                types.parents.append((type, parent))
            }
        }
    }

    private func readMagicTypes(_ types: inout MIMECacheTypes, _ names: inout MIMETypeNames) {
        let list = offset(of: .magic)
        let first = word(list + 8)
        for entry in 0..<fitting(word(list), at: first, size: 16) {
            _ = number(word(first + 16 * entry + 4), &types, &names)
        }
    }

    /// Visits every node of the suffix tree. A true tree has each node once, so a walk that visits more nodes than fit
    /// into the file goes in circles.
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
                guard let type = number(word(node + 4), &types, &names), suffix.last == "." else { continue }
                var name = String.UnicodeScalarView()
                name.append(contentsOf: suffix.dropLast().reversed())
                guard !name.isEmpty else { continue }
                types.extensions.append((type, UInt8(word(node + 8) & 0xFF), String(name)))
                continue
            }
            guard let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: character)) else { continue }
            let first = word(node + 8)
            levels.append(Level(next: first, remaining: fitting(word(node + 4), at: first, size: 12)))
            suffix.append(scalar)
        }
        return true
    }
}
