import Foundation

/// What an extension asks a person: some words, and places for answers. Whoever wanted the action shows it, on a terminal as a rule:
/// the extension's own process reaches none. An extension with windows of its own shows it in one
/// (`askInWindow(_:)` of the module FileProviderGTK).
///
/// Source: an addition; with Apple, extensions show views.
public struct FileProviderPrompt: Sendable, Equatable {
    /// A place for an answer, of one line.
    public struct Field: Sendable, Equatable {
        /// What is wanted there.
        public var label: String
        /// What counts if nothing is written.
        public var text: String
        /// Whether nobody else is to read what is written: a password.
        public var isSecret: Bool

        /// A place for an answer.
        public init(_ label: String, text: String = "", isSecret: Bool = false) {
            self.label = label
            self.text = text
            self.isSecret = isSecret
        }
    }

    /// In a few words, what it is about.
    public var title: String
    /// More about it; empty where nothing is to be said.
    public var message: String
    /// The places for answers. Without any, the person only agrees or does not.
    public var fields: [Field]

    /// A prompt.
    public init(title: String, message: String = "", fields: [Field] = []) {
        self.title = title
        self.message = message
        self.fields = fields
    }
}

extension FPUIActionExtensionContext {
    /// Asks a person, and waits for what they answer. There is no time limit while they think; but there is one before it is asked,
    /// and after they have answered.
    ///
    /// - Returns: an answer for each field.
    /// - Throws: an error of ``FPUIErrorDomain``: ``FPUIExtensionErrorCode/userCancelled`` when the person does not want to,
    ///   ``FPUIExtensionErrorCode/failed`` when nobody can be asked. Either may be handed to ``cancelRequest(withError:)``.
    public func ask(_ prompt: FileProviderPrompt) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            ask(prompt) { continuation.resume(with: $0) }
        }
    }

    /// Asks a person.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary thread, with an answer for each field or with an error of
    ///   ``FPUIErrorDomain``.
    public func ask(
        _ prompt: FileProviderPrompt, completionHandler: @escaping @Sendable (Result<[String], any Error>) -> Void
    ) {
        guard let asking else {
            return completionHandler(.failure(NSError.interface(.failed, "There is nobody to ask.")))
        }
        asking.ask(prompt, completionHandler)
    }
}

/// Whoever brings a prompt to a person.
protocol PromptAsking: Sendable {
    /// Whether there is a display for windows of the extension's own.
    var hasDisplay: Bool { get }
    func windowIsShown(_ isShown: Bool)
    func ask(_ prompt: FileProviderPrompt, _ completion: @escaping @Sendable (Result<[String], any Error>) -> Void)
}

extension NSError {
    static func interface(_ code: FPUIExtensionErrorCode, _ words: String) -> NSError {
        NSError(domain: FPUIErrorDomain, code: Int(code.rawValue), userInfo: [NSLocalizedDescriptionKey: words])
    }
}
