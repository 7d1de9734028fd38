/// Detects the types of files from their names and first bytes.
///
/// A name is looked up in this order: declarations of bundles, patterns of the freedesktop database that are more
/// specific than the extension (such as `*.tar.gz` and `CMakeLists.txt`), the extensions that the system declares, and
/// the extensions in the database.
struct FileTypes {
    let snapshot: TypeSnapshot
    let mapping: MIMEMapping?

    /// Calls `body` with the present declarations.
    static func withCurrent<Result>(_ body: (FileTypes) -> Result) -> Result {
        TypeRegistry.refreshIfDue()
        return TypeRegistry.withCurrent { snapshot in
            let mapping = MIMEDatabase.shared.map { MIMEMapping(database: $0, snapshot: snapshot) }
            return body(FileTypes(snapshot: snapshot, mapping: mapping))
        }
    }

    /// The number of bytes at a file's start that can affect its type.
    static var contentLength: Int { MIMEDatabase.shared?.contentLength ?? 0 }

    /// Returns the type of a file by its name alone; nil if the name determines none.
    func type(ofName name: String) -> UTType? {
        if let declared = bundleType(ofName: name) {
            return declared
        }
        let matches = mapping?.database.types(forFileName: name) ?? []
        return type(ofName: name, matches: matches)
    }

    /// Returns the type of a file by its first bytes alone.
    func type(ofContent content: UnsafeRawBufferPointer) -> UTType {
        guard let mapping else { return .data }
        return mapping.type(of: mapping.database.guess(fileName: nil, content: content))
    }

    /// Returns the type of a file by its name. If the name does not determine the type, the first bytes do.
    ///
    /// - Parameters:
    ///   - name: the file's name or path.
    ///   - unknownExtensionCounts: whether an unknown extension results in a dynamic type, as on Apple's systems. If
    ///     `false`, the content is examined.
    ///   - content: reads the first bytes; called only if they are needed. Returns nil if they cannot be read.
    func type(ofName name: String, unknownExtensionCounts: Bool, content: () -> [UInt8]?) -> UTType {
        if let declared = bundleType(ofName: name) {
            return declared
        }
        guard let mapping else { return type(ofName: name, matches: []) ?? .data }
        let matches = mapping.database.types(forFileName: name)
        let named = type(ofName: name, matches: matches)
        if matches.count == 1, named?.isDynamic == true || mapping.declaredType(of: matches[0]) != nil {
            // A single pattern decides. The exception is a name with a declared extension and a pattern whose MIME type
            // is not declared, because the extension and the pattern then have different meanings.
            return named ?? .data
        }
        if matches.isEmpty, let named, named.conforms(to: .text) || named.isDynamic && unknownExtensionCounts {
            return named
        }
        guard let bytes = content() else { return named ?? .data }
        return bytes.withUnsafeBytes { bytes in
            let sniffed = bytes.isEmpty ? nil : mapping.database.type(forContent: bytes)?.type
            if matches.isEmpty, let named {
                // No pattern of the database matches. The content decides if it has a known format other than text.
                guard let sniffed else {
                    return named.isDeclared || bytes.isEmpty ? named : self.type(ofContent: bytes, else: named)
                }
                let type = mapping.type(of: sniffed)
                return named.isDeclared && type.conforms(to: .text) ? named : type
            }
            let mime = mapping.database.guess(fileName: name, content: bytes)
            if mime == matches.first, sniffed != mime {
                // The content is inconclusive, so the name decides.
                return named ?? mapping.type(of: mime)
            }
            return mapping.type(of: mime)
        }
    }

    /// Returns plain text if the content is plain text; otherwise `type`.
    private func type(ofContent content: UnsafeRawBufferPointer, else type: UTType) -> UTType {
        let guessed = self.type(ofContent: content)
        return guessed == .plainText ? guessed : type
    }

    /// Returns the type for a file name.
    ///
    /// - Parameter matches: the MIME types whose patterns match the name, the best first.
    private func type(ofName name: String, matches: [String]) -> UTType? {
        guard let fileExtension = PathText.pathExtension(of: PathText.last(of: name)) else {
            return matches.first.flatMap { mapping?.type(of: $0) }
        }
        // The extension is looked up in lower case, because in the database, a few extensions have another meaning in
        // capitals (`.C` is C++).
        if let mapping, let best = matches.first,
            mapping.database.types(forExtension: fileExtension.lowercased()) != matches
        {
            return mapping.type(of: best)
        }
        return UTType(filenameExtension: fileExtension)
    }

    /// Returns the type that a bundle declares for the name's extension. The longest extension is preferred: `a.b.c` is
    /// looked up as `b.c`, then as `c`.
    private func bundleType(ofName name: String) -> UTType? {
        guard snapshot.hasBundleExtensions else { return nil }
        var rest = PathText.last(of: name).dropFirst()
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
    /// Returns the type of a file by its name alone; `public.data` if the name determines none.
    package static func type(ofFileName name: String) -> UTType {
        FileTypes.quickType(ofName: name) ?? .data
    }

    /// Returns the type of a file by its first bytes alone. The first ``contentLength`` bytes suffice.
    package static func type(ofContent content: UnsafeRawBufferPointer) -> UTType {
        FileTypes.withCurrent { $0.type(ofContent: content) }
    }

    /// The number of bytes at a file's start that can affect its type.
    package static var contentLength: Int { FileTypes.contentLength }
}
