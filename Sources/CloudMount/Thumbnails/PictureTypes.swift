import UniformTypeIdentifiers

/// The types of files that have thumbnails. Each type is looked up once.
struct PictureTypes {
    private var known: [String: Bool] = [:]

    /// The types that thumbnailers support.
    private static let drawn: [UTType] = [.image, .movie, .pdf, .audiovisualContent]

    mutating func contains(_ identifier: String) -> Bool {
        if let known = known[identifier] { return known }
        let isDrawn = UTType(identifier).map { type in Self.drawn.contains { type.conforms(to: $0) } } ?? false
        known[identifier] = isDrawn
        return isDrawn
    }
}
