// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Classes that are written to item providers, with the protocol requirements in their various forms.
class Card: NSObject, NSItemProviderWriting, NSItemProviderReading {
    let name: String
    required init(name: String) { self.name = name }

    class var writableTypeIdentifiersForItemProvider: [String] { [UTType.vCard.identifier, UTType.utf8PlainText.identifier] }
    class var readableTypeIdentifiersForItemProvider: [String] { [UTType.vCard.identifier] }

    func loadData(withTypeIdentifier typeIdentifier: String, forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress? {
        if typeIdentifier == UTType.vCard.identifier { completionHandler(Data("BEGIN:VCARD\nFN:\(name)\nEND:VCARD".utf8), nil) }
        else { completionHandler(Data(name.utf8), nil) }
        return nil
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let line = String(decoding: data, as: UTF8.self).components(separatedBy: "\n").first(where: { $0.hasPrefix("FN:") }) else {
            throw NSError(domain: "Card", code: 1)
        }
        return self.init(name: String(line.dropFirst(3)))
    }
}

/// A class whose loading method has the handler type of older programs, and whose types and visibilities are partly
/// the instance's.
final class Draft: NSObject, NSItemProviderWriting {
    static let writableTypeIdentifiersForItemProvider: [String] = [UTType.rtf.identifier]
    var writableTypeIdentifiersForItemProvider: [String] { ["com.example.draft", "public.utf8-plain-text"] }

    static func itemProviderVisibilityForRepresentation(withTypeIdentifier typeIdentifier: String) -> NSItemProviderRepresentationVisibility {
        return typeIdentifier == "com.example.draft" ? .ownProcess : .all
    }

    func loadData(withTypeIdentifier typeIdentifier: String, forItemProviderCompletionHandler completionHandler: @escaping (Data?, Error?) -> Swift.Void) -> Progress? {
        completionHandler(typeIdentifier.data(using: .utf8), nil)
        return Progress()
    }
}

enum WrittenClasses {
    static func card(_ provider: NSItemProvider, completion: @escaping @Sendable (String?) -> Void) {
        guard provider.canLoadObject(ofClass: Card.self) else { return completion(nil) }
        provider.loadObject(ofClass: Card.self) { reading, error in
            guard let card = reading as? Card else { return completion(error?.localizedDescription) }
            completion(card.name)
        }
    }

    static func picture(_ provider: NSItemProvider, completion: @escaping @Sendable (CGSize?) -> Void) {
        _ = provider.loadObject(ofClass: UIImage.self) { image, _ in completion((image as? UIImage)?.size) }
    }

    static func later(_ name: String) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerObject(ofClass: Card.self, visibility: .all) { completion in
            completion(Card(name: name), nil)
            return nil
        }
        provider.registerObject(name as NSString, visibility: .all)
        return provider
    }
}
