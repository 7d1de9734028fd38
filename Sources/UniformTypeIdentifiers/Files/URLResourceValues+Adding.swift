import Foundation

extension URLResourceValues {
    /// These values and one more; unchanged if Foundation's type is not made as we know it.
    package func adding(_ value: Any, forKey key: URLResourceKey) -> URLResourceValues {
        typealias Parts = (values: [URLResourceKey: Any], keys: Set<URLResourceKey>)
        let children = Array(Mirror(reflecting: self).children)
        guard MemoryLayout<URLResourceValues>.size == MemoryLayout<Parts>.size,
            MemoryLayout<URLResourceValues>.alignment == MemoryLayout<Parts>.alignment, children.count == 2,
            children[0].label == "_values", children[0].value is [URLResourceKey: Any],
            children[1].label == "_keys", children[1].value is Set<URLResourceKey>
        else { return self }
        // Two stored properties in this order, of these types, and no other: a struct is laid out as the tuple of its
        // properties, and both are copied as such. Checked each time, because another Foundation may differ.
        var parts = unsafeBitCast(self, to: Parts.self)
        parts.values[key] = value
        return unsafeBitCast(parts, to: URLResourceValues.self)
    }
}
