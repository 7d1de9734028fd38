import Foundation

/// A prompt of an extension for the user: a text, and fields for answers. The host shows it, usually on a terminal,
/// which the extension's own process cannot access. An extension with its own windows shows the prompt in a window
/// (`askInWindow(_:)` of the module FileProviderGTK).
///
/// Source: an addition. Apple's extensions show views.
public struct FileProviderPrompt: Sendable, Equatable {
    /// A field for an answer of one line.
    public struct Field: Sendable, Equatable {
        /// The label of the field.
        public var label: String
        /// The initial text, which is the answer if the user does not change it.
        public var text: String
        /// Whether the input is hidden, as for a password.
        public var isSecret: Bool

        /// Creates a field.
        public init(_ label: String, text: String = "", isSecret: Bool = false) {
            self.label = label
            self.text = text
            self.isSecret = isSecret
        }
    }

    /// The title: the subject in a few words.
    public var title: String
    /// The message; may be empty.
    public var message: String
    /// The fields. If there are none, the user only agrees or refuses.
    public var fields: [Field]

    /// Creates a prompt.
    public init(title: String, message: String = "", fields: [Field] = []) {
        self.title = title
        self.message = message
        self.fields = fields
    }
}

extension FPUIActionExtensionContext {
    /// Asks the user, and waits for the answers. Meanwhile, the time limit of the action is suspended.
    ///
    /// - Returns: an answer for each field.
    /// - Throws: an error of ``FPUIErrorDomain``: ``FPUIExtensionErrorCode/userCancelled`` if the user refuses,
    ///   ``FPUIExtensionErrorCode/failed`` if no user can be asked. Both errors may be passed to
    ///   ``cancelRequest(withError:)``.
    public func ask(_ prompt: FileProviderPrompt) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            ask(prompt) { continuation.resume(with: $0) }
        }
    }

    /// Asks the user.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary thread, with an answer for each field or with an
    ///   error of ``FPUIErrorDomain``.
    public func ask(
        _ prompt: FileProviderPrompt, completionHandler: @escaping @Sendable (Result<[String], any Error>) -> Void
    ) {
        guard let asking else {
            return completionHandler(.failure(NSError.interface(.failed, "The user cannot be asked.")))
        }
        asking.ask(prompt, completionHandler)
    }
}

/// A channel that shows prompts to the user.
protocol PromptAsking: Sendable {
    /// Whether a display exists on which the extension can show its own windows.
    var hasDisplay: Bool { get }
    func windowIsShown(_ isShown: Bool)
    func ask(_ prompt: FileProviderPrompt, _ completion: @escaping @Sendable (Result<[String], any Error>) -> Void)
}

extension NSError {
    static func interface(_ code: FPUIExtensionErrorCode, _ words: String) -> NSError {
        NSError(domain: FPUIErrorDomain, code: Int(code.rawValue), userInfo: [NSLocalizedDescriptionKey: words])
    }
}
