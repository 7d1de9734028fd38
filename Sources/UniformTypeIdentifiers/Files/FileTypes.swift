/// Telling the types of files from their names and first bytes.
///
/// Names: what bundles declare, the patterns of the freedesktop database that say more than the extension does (such as
/// `*.tar.gz` and `CMakeLists.txt`), the extensions the system declares, then the database's.
struct FileTypes {
    let snapshot: TypeSnapshot
    let mapping: MIMEMapping?

    /// Calls `body` with what is declared now.
    static func withCurrent<Result>(_ body: (FileTypes) -> Result) -> Result {
        TypeRegistry.refreshIfDue()
        return TypeRegistry.withCurrent { snapshot in
            let mapping = MIMEDatabase.shared.map { MIMEMapping(database: $0, snapshot: snapshot) }
            return body(FileTypes(snapshot: snapshot, mapping: mapping))
        }
    }

    /// How many bytes of a file's start are of use.
    static var contentLength: Int { MIMEDatabase.shared?.contentLength ?? 0 }

    /// The type of a file by its name alone; nil if the name says nothing.
    func type(ofName name: String) -> UTType? {
        if let declared = bundleType(ofName: name) {
            return declared
        }
        let matches = mapping?.database.types(forFileName: name) ?? []
        return type(ofName: name, matches: matches)
    }

    /// The type of a file by its first bytes alone.
    func type(ofContent content: UnsafeRawBufferPointer) -> UTType {
        guard let mapping else { return .data }
        return mapping.type(of: mapping.database.guess(fileName: nil, content: content))
    }

    /// The type of a file by its name, and by its first bytes where the name leaves it open.
    ///
    /// - Parameters:
    ///   - name: the file's name or path.
    ///   - unknownExtensionCounts: whether an extension that nobody knows is an answer, as on Apple's systems: the
    ///     dynamic type. Otherwise the content is looked at.
    ///   - content: reads the first bytes; called only if they are needed. Nil if they cannot be read.
    func type(ofName name: String, unknownExtensionCounts: Bool, content: () -> [UInt8]?) -> UTType {
        if let declared = bundleType(ofName: name) {
            return declared
        }
        guard let mapping else { return type(ofName: name, matches: []) ?? .data }
        let matches = mapping.database.types(forFileName: name)
        let named = type(ofName: name, matches: matches)
        if matches.count == 1, named?.isDynamic == true || mapping.declaredType(of: matches[0]) != nil {
            // A single pattern settles it, unless it and the declared extension are about different things.
            return named ?? .data
        }
        if matches.isEmpty, let named, named.conforms(to: .text) || named.isDynamic && unknownExtensionCounts {
            return named
        }
        guard let bytes = content() else { return named ?? .data }
        return bytes.withUnsafeBytes { bytes in
            let sniffed = bytes.isEmpty ? nil : mapping.database.type(forContent: bytes)?.type
            if matches.isEmpty, let named {
                // Patterns do not know the extension. The content counts if it is of a certain format, and of no text.
                guard let sniffed else {
                    return named.isDeclared || bytes.isEmpty ? named : self.type(ofContent: bytes, else: named)
                }
                let type = mapping.type(of: sniffed)
                return named.isDeclared && type.conforms(to: .text) ? named : type
            }
            let mime = mapping.database.guess(fileName: name, content: bytes)
            if mime == matches.first, sniffed != mime {
                // The content does not tell; the name's best meaning it is.
                return named ?? mapping.type(of: mime)
            }
            return mapping.type(of: mime)
        }
    }

    /// Plain text, if the content is that, or `type`.
    private func type(ofContent content: UnsafeRawBufferPointer, else type: UTType) -> UTType {
        let guessed = self.type(ofContent: content)
        return guessed == .plainText ? guessed : type
    }

    /// The type of a name with these matches in the database.
    private func type(ofName name: String, matches: [String]) -> UTType? {
        guard let fileExtension = FileName.pathExtension(of: FileName.last(of: name)) else {
            return matches.first.flatMap { mapping?.type(of: $0) }
        }
        // In lower case, because to the database a few extensions mean another thing in capitals (`.C` is C++).
        if let mapping, let best = matches.first,
            mapping.database.types(forExtension: fileExtension.lowercased()) != matches
        {
            return mapping.type(of: best)
        }
        return UTType(filenameExtension: fileExtension)
    }

    /// The type that a bundle declares for the name's extension, of which the longest counts: `a.b.c` is looked up as
    /// `b.c`, then as `c`.
    private func bundleType(ofName name: String) -> UTType? {
        guard snapshot.hasBundleExtensions else { return nil }
        var rest = FileName.last(of: name).dropFirst()
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = snapshot.bundleType(ofExtension: String(rest), conformingTo: .data) {
                return type
            }
        }
        return nil
    }
}

extension UTType {
    /// The type of a file by its name alone; `public.data` if the name says nothing.
    package static func type(ofFileName name: String) -> UTType {
        FileTypes.quickType(ofName: name) ?? .data
    }

    /// The type of a file by its first bytes alone; ``contentLength`` of them are as good as all.
    package static func type(ofContent content: UnsafeRawBufferPointer) -> UTType {
        FileTypes.withCurrent { $0.type(ofContent: content) }
    }

    /// How many bytes of a file's start can matter to its type.
    package static var contentLength: Int { FileTypes.contentLength }
}
