extension UTType: Codable {
    /// Writes the identifier as a single value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }

    /// Reads an identifier.
    ///
    /// A type that was declared on the machine that wrote it may be undeclared on this one. It is then read as by
    /// ``init(importedAs:conformingTo:)``, so that nothing is lost when it is written again.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the text is no valid identifier.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let identifier = try container.decode(String.self)
        if let type = UTType(identifier) {
            self = type
        } else if TypeDeclaration.isValid(identifier: identifier) {
            self.init(exportedAs: identifier)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(identifier)\" is not the identifier of a type.")
        }
    }
}
