import Conduit
import FileProvider
import ItemProvider

/// A host has a user interface begin, which is told where it is. Answered when it has ended; cancelling it is giving up.
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
        /// `nil` when it was completed.
        let failure: FailureMessage?

        init(failure: FailureMessage?) { self.failure = failure }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            failure = try decoder.decodeIfPresent(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(failure, forKey: 0) }
    }
}

/// A user interface has its host ask the person.
struct PromptCall: Call {
    static var method: UInt64 { 2 }
    let prompt: FileProviderPrompt

    /// More than these, and longer texts, nobody could be asked.
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
        /// An answer for each field; `nil` when the person does not want to.
        let answers: [String]?

        init(answers: [String]?) { self.answers = answers }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            answers = try decoder.decodeIfPresent(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(answers, forKey: 0) }
    }
}

/// A user interface tells its host that a person has a window of its to answer, or has none any more.
struct WindowNotice: Notice {
    static var method: UInt64 { 1 }
    let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown }

    init(from decoder: inout MessageDecoder) throws(MessageError) { isShown = try decoder.decode(forKey: 0) }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(isShown, forKey: 0) }
}
