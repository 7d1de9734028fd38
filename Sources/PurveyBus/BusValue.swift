import CGIO
import Secrets

/// A D-Bus value.
enum BusValue: Sendable, Equatable {
    case string(String)
    /// The path of an object.
    case path(String)
    case boolean(Bool)
    case unsigned(UInt32)
    case signed(Int32)
    case long(UInt64)
    case strings([String])
    /// Bytes that are overwritten with zeros after use. GLib's copies of them in messages are not overwritten.
    case bytes(SecretBytes)
    /// A value with its type.
    indirect case variant(BusValue)
    case tuple([BusValue])
    /// Elements of one type, which has the given signature.
    case array(of: String, [BusValue])
    /// Names with values of any type.
    case properties([(name: String, value: BusValue)])
    /// A dictionary whose keys are not property names, such as a dictionary of objects. The first value is the
    /// signature of a key, followed by that of a value.
    case dictionary(of: String, [(key: BusValue, value: BusValue)])

    static func == (left: BusValue, right: BusValue) -> Bool {
        switch (left, right) {
        case (.string(let one), .string(let other)), (.path(let one), .path(let other)): one == other
        case (.boolean(let one), .boolean(let other)): one == other
        case (.unsigned(let one), .unsigned(let other)): one == other
        case (.signed(let one), .signed(let other)): one == other
        case (.long(let one), .long(let other)): one == other
        case (.strings(let one), .strings(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.variant(let one), .variant(let other)): one == other
        case (.tuple(let one), .tuple(let other)): one == other
        case (.array(let type, let one), .array(let otherType, let other)): type == otherType && one == other
        case (.properties(let one), .properties(let other)):
            one.elementsEqual(other) { $0.name == $1.name && $0.value == $1.value }
        case (.dictionary(let type, let one), .dictionary(let otherType, let other)):
            type == otherType && one.elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
        default: false
        }
    }

    /// The value as a GVariant with a floating reference, of which the receiving function takes ownership.
    var variant: OpaquePointer? {
        switch self {
        case .string(let text): g_variant_new_string(text)
        case .path(let path): g_variant_new_object_path(path)
        case .boolean(let isSo): g_variant_new_boolean(isSo ? 1 : 0)
        case .unsigned(let number): g_variant_new_uint32(number)
        case .signed(let number): g_variant_new_int32(number)
        case .long(let number): g_variant_new_uint64(guint64(number))
        case .bytes(let bytes): Self.array(of: bytes)
        case .strings(let texts): Self.container("as", texts.map { .string($0) })
        case .variant(let value): g_variant_new_variant(value.variant)
        case .tuple(let values): Self.container("r", values)
        case .array(let type, let values): Self.container("a" + type, values)
        case .properties(let pairs):
            Self.container("a{sv}", entries: pairs.map { (.string($0.name), .variant($0.value)) })
        case .dictionary(let type, let pairs): Self.container("a{" + type + "}", entries: pairs.map { ($0, $1) })
        }
    }

    private static func array(of bytes: SecretBytes) -> OpaquePointer? {
        let type = g_variant_type_new("y")
        defer { g_variant_type_free(type) }
        return bytes.withBytes { g_variant_new_fixed_array(type, $0.baseAddress, gsize($0.count), 1) }
    }

    private static func container(_ signature: String, _ values: [BusValue]) -> OpaquePointer? {
        build(signature) { builder in
            for value in values { g_variant_builder_add_value(builder, value.variant) }
        }
    }

    private static func container(_ signature: String, entries: [(BusValue, BusValue)]) -> OpaquePointer? {
        build(signature) { builder in
            for (key, value) in entries {
                g_variant_builder_add_value(builder, g_variant_new_dict_entry(key.variant, value.variant))
            }
        }
    }

    /// Builds a container.
    ///
    /// - Parameter signature: a valid signature; it is not checked.
    private static func build(_ signature: String, _ body: (UnsafeMutablePointer<GVariantBuilder>) -> Void)
        -> OpaquePointer?
    {
        let type = g_variant_type_new(signature)
        defer { g_variant_type_free(type) }
        guard let builder = g_variant_builder_new(type) else { return nil }
        defer { g_variant_builder_unref(builder) }
        body(builder)
        return g_variant_builder_end(builder)
    }
}

/// The arguments of a method, of the types in the method's description.
struct BusArguments {
    private let variant: OpaquePointer

    /// Wraps the arguments of a call.
    ///
    /// - Parameter variant: a tuple, which must outlive this object.
    init(_ variant: OpaquePointer) { self.variant = variant }

    func strings(_ index: Int) -> [String] {
        withChild(index) { array in (0..<g_variant_n_children(array)).map { Self.string(array, $0) } } ?? []
    }

    func string(_ index: Int) -> String {
        withChild(index) { g_variant_get_string($0, nil).map { String(cString: $0) } ?? "" } ?? ""
    }

    func boolean(_ index: Int) -> Bool { withChild(index) { g_variant_get_boolean($0) != 0 } ?? false }

    /// Returns the number of elements of an array.
    func count(_ index: Int) -> Int { withChild(index) { Int(g_variant_n_children($0)) } ?? 0 }

    private func withChild<Value>(_ index: Int, _ body: (OpaquePointer) -> Value) -> Value? {
        guard index < g_variant_n_children(variant), let child = g_variant_get_child_value(variant, gsize(index)) else {
            return nil
        }
        defer { g_variant_unref(child) }
        return body(child)
    }

    private static func string(_ array: OpaquePointer, _ index: gsize) -> String {
        guard let child = g_variant_get_child_value(array, index) else { return "" }
        defer { g_variant_unref(child) }
        // The bus guarantees that texts are UTF-8.
        return g_variant_get_string(child, nil).map { String(cString: $0) } ?? ""
    }
}
