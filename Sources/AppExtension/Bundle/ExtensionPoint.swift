import LinuxSystem

/// The kinds of extensions that are supported.
package enum ExtensionPoint {
    /// The `NSExtensionPointIdentifier` of each.
    package static let served = [
        "com.apple.share-services", "com.apple.ui-services", ExtensionBundle.providerPoint,
        ExtensionBundle.providerInterfacePoint,
    ]

    /// Returns a sentence about the fault of an extension point; `nil` if it is valid.
    package static func fault(of point: String) -> String? {
        guard !served.contains(point) else { return nil }
        let complaint = SpellingSuggestion.sentence(
            "NSExtensionPointIdentifier \"\(point)\" is no kind of extension that is served here", about: point,
            known: served)
        return complaint + "; there are " + served.joined(separator: ", ")
    }
}
