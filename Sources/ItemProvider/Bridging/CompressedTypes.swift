import UniformTypeIdentifiers

/// The types of compressed files, for which deflating again would cost time and gain nothing.
enum CompressedTypes {
    private static let types: [UTType] = [
        .archive, .jpeg, .png, .gif, .webP, .heic, .heif, .movie, .mp3, .mpeg4Audio, .zip, .gzip, .bz2, .epub,
    ]

    /// Subtypes of the types above that are not compressed after all.
    private static let exceptions: [UTType] = [.tarArchive, .bmp, .aiff, .wav]

    /// Whether a file of this name is compressed, as far as its name shows.
    @Sendable static func contain(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let type = UTType(filenameExtension: String(name[name.index(after: dot)...])), type.isDeclared
        else { return false }
        return types.contains { type.conforms(to: $0) } && !exceptions.contains { type.conforms(to: $0) }
    }
}
