import Conduit

extension RepresentationManifest: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        index = try decoder.decode(forKey: 0)
        typeIdentifier = try decoder.decode(forKey: 1)
        visibility = try decoder.decode(forKey: 2)
        fileOptions = try decoder.decode(forKey: 3)
        hasItem = try decoder.decodeIfPresent(forKey: 4) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(index, forKey: 0)
        encoder.encode(typeIdentifier, forKey: 1)
        encoder.encode(visibility, forKey: 2)
        encoder.encode(fileOptions, forKey: 3)
        if hasItem { encoder.encode(true, forKey: 4) }
    }
}

extension OfferManifest: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        name = try decoder.decodeIfPresent(forKey: 1)
        representations = try decoder.decode(forKey: 2)
        hasPreview = try decoder.decodeIfPresent(forKey: 3) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encodeIfPresent(name, forKey: 1)
        encoder.encode(representations, forKey: 2)
        if hasPreview { encoder.encode(true, forKey: 3) }
    }
}
