import Foundation
import Images
import PropertyLists
import UniformTypeIdentifiers

/// The text or URL that data contains, according to the type of the data.
///
/// Foundation's readers accept nearly any bytes as text or as a relative URL. Therefore the type determines the
/// interpretation. If the type does not determine it, the bytes do.
struct DataMeaning {
    private let data: Data
    private let typeIdentifier: String
    private let kind: Kind

    private enum Kind {
        case url
        case text
        /// The type does not determine the interpretation, so the bytes do.
        case open
        case other
    }

    init(_ data: Data, _ typeIdentifier: String) {
        self.data = data
        self.typeIdentifier = typeIdentifier
        kind = Self.kind(typeIdentifier)
    }

    private static func kind(_ typeIdentifier: String) -> Kind {
        guard let type = UTType(typeIdentifier) else { return .open }
        if type.conforms(to: .url) { return .url }
        if type.conforms(to: .propertyList) { return .other }
        if type.conforms(to: .text) { return .text }
        let saysNothing = type.isDynamic || !type.isDeclared || [.data, .item, .content].contains(type)
        return saysNothing ? .open : .other
    }

    /// The text; `nil` if the data is not text.
    var text: String? {
        if let url = archivedURL { return kind == .url ? url.absoluteString : nil }
        guard kind != .other, ImageFormat(sniffing: data) == nil, !ForeignPropertyList.isBinary(data) else {
            return nil
        }
        if kind == .text { return PlainText.decode(data, typeIdentifier: typeIdentifier) }
        return PlainText.decode(data, typeIdentifier: UTType.utf8PlainText.identifier)
    }

    /// The URL; `nil` if the data is not a URL. Text counts as a URL only with a scheme.
    var url: URL? {
        switch kind {
        case .url: parsed
        case .text, .open: text.flatMap { URL(string: $0.trimmingCharacters(in: .whitespacesAndNewlines)) }?.withScheme
        case .other: nil
        }
    }

    private var parsed: URL? {
        (try? NSURL.object(withItemProviderData: data, typeIdentifier: typeIdentifier)).map { $0 as URL }
    }

    /// A URL in the form of a binary property list, which Apple's systems write.
    private var archivedURL: URL? { ForeignPropertyList.isBinary(data) ? parsed : nil }
}

extension URL {
    fileprivate var withScheme: URL? { scheme == nil ? nil : self }
}
