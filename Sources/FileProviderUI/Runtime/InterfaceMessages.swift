import Conduit
import FileProvider
import FileProviderWire
import ItemProvider

/// A host's request to start the user interface. The extension replies when the user interface has ended. If the host
/// cancels the request, the host does not wait for the reply.
package struct BeginInterfaceCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    let place: BeginProviderCall
    let purpose: InterfacePurpose

    init(place: BeginProviderCall, purpose: InterfacePurpose) {
        self.place = place
        self.purpose = purpose
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.purpose))

    package struct Reply: SchemaMessage {
        /// The failure; `nil` if the action was completed.
        let failure: FailureMessage?

        init(failure: FailureMessage?) { self.failure = failure }

        package static let schema = Schema(Self.init, Field(0, \.failure))
    }
}

/// A request from a user interface to its host to ask the user.
package struct PromptCall: Call, SchemaMessage {
    package static var method: UInt64 { 2 }
    let prompt: FileProviderPrompt

    /// The maximum number of fields of a prompt, and the maximum number of bytes of each of its texts.
    static let mostFields = 32
    static let longestText = 4096

    init(prompt: FileProviderPrompt) { self.prompt = prompt }

    package static let schema = Schema(
        { PromptCall(prompt: FileProviderPrompt(title: $0, message: $1, fields: $2)) },
        Field(0, \PromptCall.prompt.title),
        Field(1, \.prompt.message), Field(2, \.prompt.fields)
    ).checked { call throws(MessageError) in
        let prompt = call.prompt
        let texts = [prompt.title, prompt.message] + prompt.fields.flatMap { [$0.label, $0.text] }
        guard prompt.fields.count <= mostFields, texts.allSatisfy({ $0.utf8.count <= longestText }) else {
            throw .invalid("a prompt that is too large")
        }
    }

    package struct Reply: SchemaMessage {
        /// An answer for each field; `nil` if the user refuses.
        let answers: [String]?

        init(answers: [String]?) { self.answers = answers }

        package static let schema = Schema(Self.init, Field(0, \.answers))
    }
}

/// A notice by a user interface that a window waits for the user, or that no window is shown any more.
package struct WindowNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown }

    package static let schema = Schema(Self.init, Field(0, \.isShown))
}

extension FileProviderPrompt.Field: SchemaMessage {
    @usableFromInline package static let schema = Schema(
        { FileProviderPrompt.Field($0, text: $1, isSecret: $2) }, Field(0, \FileProviderPrompt.Field.label),
        Field(1, \.text), Field(2, \.isSecret))
}
