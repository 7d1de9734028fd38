// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// A test's provider, which returns the values that the test sets.
class MockItemProvider: NSItemProvider {
    var types: [String] = []
    var item: NSSecureCoding?
    var error: Error?
    private(set) var asked: [String] = []

    override var registeredTypeIdentifiers: [String] { types }

    override func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        types.contains(typeIdentifier)
    }

    override func loadItem(forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, completionHandler: NSItemProvider.CompletionHandler? = nil) {
        asked.append(typeIdentifier)
        completionHandler?(item, error)
    }

    override func canLoadObject(ofClass aClass: NSItemProviderReading.Type) -> Bool { false }

    override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A provider for tests of asynchronous code only.
class AsyncMockItemProvider: NSItemProvider {
    override func loadItem(forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil) async throws -> NSSecureCoding {
        typeIdentifier as NSString
    }

    override func loadPreviewImage(options: [AnyHashable: Any]! = [:]) async throws -> NSSecureCoding {
        "preview" as NSString
    }
}

class MockExtensionContext: NSExtensionContext {
    var items: [NSExtensionItem] = []
    private(set) var isComplete = false
    private(set) var returned: [NSExtensionItem] = []
    private(set) var cancellation: Error?

    override var inputItems: [Any] { items }

    override func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        isComplete = true
        returned = items as? [NSExtensionItem] ?? []
        completionHandler?(false)
    }

    override func cancelRequest(withError error: Error) { cancellation = error }

    override func open(_ URL: URL) async -> Bool { URL.scheme == "example" }
}
