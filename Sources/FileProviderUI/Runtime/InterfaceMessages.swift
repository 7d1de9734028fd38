import Conduit
import FileProvider
import ItemProvider

/// A host's request to start the user interface. The reply comes when it has ended. Cancelling the request gives up.
struct BeginInterfaceCall: Call {
    static var method: UInt64 { 1 }
    let place: BeginProviderCall
    let purpose: InterfacePurpose

    init(place: BeginProviderCall, purpose: InterfacePurpose) {
        self.place = place
        self.purpose = purpose
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        purpose = try decoder.decode(forKey: 1)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        encoder.encode(purpose, forKey: 1)
    }

    struct Reply: Message {
        /// The failure; `nil` if the action was completed.
        let failure: FailureMessage?

        init(failure: FailureMessage?) { self.failure = failure }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            failure = try decoder.decodeIfPresent(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(failure, forKey: 0) }
    }
}

/// A request of a user interface that its host ask the user.
struct PromptCall: Call {
    static var method: UInt64 { 2 }
    let prompt: FileProviderPrompt

    /// The maximum number of fields of a prompt, and the maximum number of bytes of a text.
    static let mostFields = 32
    static let longestText = 4096

    init(prompt: FileProviderPrompt) { self.prompt = prompt }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let title: String = try decoder.decode(forKey: 0)
        let message: String = try decoder.decode(forKey: 1)
        let fields: [FieldMessage] = try decoder.decode(forKey: 2)
        prompt = FileProviderPrompt(title: title, message: message, fields: fields.map(\.field))
        let texts = [title, message] + fields.flatMap { [$0.field.label, $0.field.text] }
        guard fields.count <= Self.mostFields, texts.allSatisfy({ $0.utf8.count <= Self.longestText }) else {
            throw .invalid("a prompt that is too large")
        }
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(prompt.title, forKey: 0)
        encoder.encode(prompt.message, forKey: 1)
        encoder.encode(prompt.fields.map(FieldMessage.init), forKey: 2)
    }

    private struct FieldMessage: Message {
        let field: FileProviderPrompt.Field

        init(_ field: FileProviderPrompt.Field) { self.field = field }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            field = FileProviderPrompt.Field(
                try decoder.decode(forKey: 0), text: try decoder.decode(forKey: 1),
                isSecret: try decoder.decode(forKey: 2))
        }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(field.label, forKey: 0)
            encoder.encode(field.text, forKey: 1)
            encoder.encode(field.isSecret, forKey: 2)
        }
    }

    struct Reply: Message {
        /// An answer for each field; `nil` if the user refuses.
        let answers: [String]?

        init(answers: [String]?) { self.answers = answers }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            answers = try decoder.decodeIfPresent(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(answers, forKey: 0) }
    }
}

/// A notice by a user interface that it shows a window that waits for the user, or that it does not show a window any
/// more.
struct WindowNotice: Notice {
    static var method: UInt64 { 1 }
    let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown }

    init(from decoder: inout MessageDecoder) throws(MessageError) { isShown = try decoder.decode(forKey: 0) }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(isShown, forKey: 0) }
}
