import UniformTypeIdentifiers

/// The JSON of a type in the output of `purvey types`. No encoder is used, because a batch may write the JSON of a
/// hundred thousand types.
enum TypesJSON {
    /// Appends a type's object, or `null`, and the end of the line.
    static func append(_ type: UTType?, to output: inout [UInt8]) {
        guard let type else {
            output += "null\n".utf8
            return
        }
        output += #"{"identifier":"#.utf8
        append(type.identifier, to: &output)
        output += #","description":"#.utf8
        append(type.localizedDescription, to: &output)
        output += #","conformsTo":"#.utf8
        append(type.supertypesByDistance.map(\.identifier), to: &output)
        output += #","filenameExtensions":"#.utf8
        append(type.filenameExtensions, to: &output)
        output += #","mimeTypes":"#.utf8
        append(type.mimeTypes, to: &output)
        output += #","preferredFilenameExtension":"#.utf8
        append(type.preferredFilenameExtension, to: &output)
        output += #","preferredMIMEType":"#.utf8
        append(type.preferredMIMEType, to: &output)
        output += #","isDynamic":"#.utf8
        append(type.isDynamic, to: &output)
        output += #","isDeclared":"#.utf8
        append(type.isDeclared, to: &output)
        output += #","isPublic":"#.utf8
        append(type.isPublic, to: &output)
        output += "}\n".utf8
    }

    private static func append(_ value: Bool, to output: inout [UInt8]) {
        output += (value ? "true" : "false").utf8
    }

    private static func append(_ values: [String], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(value, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Appends a string. Escapes the characters that RFC 8259, section 7, requires, and U+007F, which terminals
    /// interpret.
    private static func append(_ value: String?, to output: inout [UInt8]) {
        guard let value else {
            output += "null".utf8
            return
        }
        let digits = Array("0123456789abcdef".utf8)
        output.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7F:
                output += "\\u00".utf8
                output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
