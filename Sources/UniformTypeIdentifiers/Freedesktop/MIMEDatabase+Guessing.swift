/// Detection of a file's type (specification, "Recommended checking order").
extension MIMEDatabase {
    /// The lowest priority at which a magic rule overrides conflicting file names.
    private static let decisivePriority = 80

    /// Returns the types of a file by its name alone, the best first; empty if no pattern matches.
    ///
    /// If several types share the longest matching pattern, the content has to decide. Only the last component of a
    /// path counts.
    package func types(forFileName name: String) -> [String] {
        var matches = GlobMatches()
        match(name, into: &matches)
        return names(of: matches)
    }

    /// Returns the number, below ``FileNameIndex/patternCount``, of the only pattern that determines the type of a
    /// file name; `nil` if there is none.
    ///
    /// The number is a key for caching values that are derived from patterns. For names that start with a dot the
    /// result is `nil`, because it is not defined whether the rest is an extension.
    @inline(__always)
    func solePattern(forFileName name: String) -> Int? {
        var matches = GlobMatches()
        let startsWithDot = match(name, into: &matches)
        return startsWithDot ? nil : matches.solePattern
    }

    /// Returns the types of files with an extension (given without the dot), the best first; empty if no pattern has
    /// the extension.
    package func types(forExtension ext: String) -> [String] {
        names(of: matches(forExtension: ext))
    }

    /// Returns the same as ``solePattern(forFileName:)``, for the pattern that consists of an extension.
    func solePattern(forExtension ext: String) -> Int? {
        matches(forExtension: ext).solePattern
    }

    private func matches(forExtension ext: String) -> GlobMatches {
        var matches = GlobMatches()
        if !ext.isEmpty { withBytes(of: ext) { fileNames.match(fileExtension: $0, into: &matches) } }
        return matches
    }

    /// Returns the type of a file by its first bytes alone, with the priority of the matching rule (50 for most, 80
    /// and above for rules that are never wrong); `nil` if no rule matches.
    ///
    /// The first ``contentLength`` bytes suffice.
    package func type(forContent bytes: UnsafeRawBufferPointer) -> (type: String, priority: Int)? {
        sniff(bytes).map { (names[$0.type], Int($0.priority)) }
    }

    /// Returns the type of a file by all available information. There is always a result.
    ///
    /// - Parameters:
    ///   - fileName: the file's name or path.
    ///   - content: the file's first bytes, empty for an empty file; `nil` if they cannot be read.
    package func guess(fileName: String?, content: UnsafeRawBufferPointer?) -> String {
        var matches = GlobMatches()
        if let fileName { match(fileName, into: &matches) }
        guard matches.count != 1 else { return names[matches[0].type] }
        guard let content else { return names[matches.count == 0 ? wellKnown.binary : matches[0].type] }
        guard matches.count > 0 else { return names[type(ofNamed: fileName != nil, content)] }
        return names[choose(among: &matches, content)]
    }

    /// Returns the type of a file that has no name, or whose name matches no pattern.
    private func type(ofNamed hasName: Bool, _ content: UnsafeRawBufferPointer) -> MIMETypeNames.ID {
        guard !content.isEmpty else { return wellKnown.empty }
        guard let (type, _) = sniff(content) else { return defaultType(of: content) }
        // If a file has a name, only the name can make it a launcher, which desktops run on a click. A downloaded file
        // with another name must not become a launcher because of its content.
        return type == wellKnown.launcher && hasName ? wellKnown.text : type
    }

    /// Chooses between several types of a name by the content.
    private func choose(among matches: inout GlobMatches, _ content: UnsafeRawBufferPointer) -> MIMETypeNames.ID {
        guard !content.isEmpty else { return matches[0].type }
        let found = sniff(content)
        if let found, found.priority >= Self.decisivePriority { return found.type }
        let type = found?.type ?? defaultType(of: content)
        for index in 0..<matches.count where relations.isType(matches[index].type, type) { return matches[index].type }
        return matches[0].type
    }

    /// Finds the patterns that match the last component of a path. Returns whether the component starts with a dot.
    @inline(__always)
    @discardableResult
    private func match(_ path: String, into matches: inout GlobMatches) -> Bool {
        withBytes(of: path) { bytes in
            fileNames.match(UnsafeRawBufferPointer(bytes), into: &matches).first == UInt8(ascii: ".")
        }
    }

    private func names(of matches: GlobMatches) -> [String] {
        (0..<matches.count).map { names[matches[$0].type] }
    }

    /// Returns the type of the best magic rule; for XML the type of its vocabulary, if it is known.
    private func sniff(_ content: UnsafeRawBufferPointer) -> (type: MIMETypeNames.ID, priority: Int32)? {
        guard let index = magic.bestRule(for: content) else { return nil }
        let rule = magic.rules[index]
        if rule.type == wellKnown.xml, !namespaces.isEmpty, let root = XMLRootElement(content) {
            let anyElement = XMLRootElement(localName: "", namespace: root.namespace)
            if let type = namespaces[root] ?? namespaces[anyElement] { return (type, rule.priority) }
        }
        return (rule.type, rule.priority)
    }

    /// Returns the type of plain text or that of binary data. Text contains no control characters except white space
    /// and a few terminal controls.
    private func defaultType(of content: UnsafeRawBufferPointer) -> MIMETypeNames.ID {
        for byte in content.prefix(Self.textLength) where byte < 0x20 || byte == 0x7F {
            switch byte {
            case 0x08...0x0D, 0x1B: continue
            default: return wellKnown.binary
            }
        }
        return wellKnown.text
    }
}
