import Foundation

extension URLResourceValues {
    /// Returns these values and one more; unchanged values if the layout of Foundation's type is not the known one.
    package func adding(_ value: Any, forKey key: URLResourceKey) -> URLResourceValues {
        typealias Parts = (values: [URLResourceKey: Any], keys: Set<URLResourceKey>)
        let children = Array(Mirror(reflecting: self).children)
        guard MemoryLayout<URLResourceValues>.size == MemoryLayout<Parts>.size,
            MemoryLayout<URLResourceValues>.alignment == MemoryLayout<Parts>.alignment, children.count == 2,
            children[0].label == "_values", children[0].value is [URLResourceKey: Any],
            children[1].label == "_keys", children[1].value is Set<URLResourceKey>
        else { return self }
        // The type has two stored properties in this order, of these types, and no other. A struct is laid out as the
        // tuple of its properties, and both are copied as such. This is checked each time, because another Foundation
        // may differ.
        var parts = unsafeBitCast(self, to: Parts.self)
        parts.values[key] = value
        return unsafeBitCast(parts, to: URLResourceValues.self)
    }
}
