import Foundation

/// A provider as the runtime asks it, whichever of the two models its class is written for.
///
/// What is asked is what the engine asks, so that there is one engine and one way to it. Functions run client code; they are called on
/// threads that may block, and end with their question.
protocol ServedProvider: Sendable {
    /// The provider's own object, for what classes of both models are asked in the same way.
    var object: any NSObjectProtocol { get }
    /// The folder for files on their way to the provider and from it.
    var temporary: String { get }

    /// The item now.
    func item(_ identifier: String, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Whoever lists a container.
    func enumerator(of container: String) throws -> any NSFileProviderEnumerator

    /// The whole contents of a file.
    func contents(_ request: ProviderContentsCall, _ question: Question) throws(ProviderFailure) -> ProviderFile

    /// The contents are needed no more.
    func stopProviding(_ identifier: String) throws(ProviderFailure)

    /// Makes an item.
    func create(_ request: ProviderCreateCall, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Hands over new contents.
    func replace(_ request: ProviderReplaceCall, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Renames, moves, or both. The engine repeats a move whose answer it did not get: what is where it is to be stays.
    func move(_ request: ProviderMoveCall, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Removes an item.
    ///
    /// - Throws: of kind `noSuchItem` where it is gone already.
    func delete(_ identifier: String, _ question: Question) throws(ProviderFailure)

    /// Sets what a person's use has left behind, or attributes.
    ///
    /// - Throws: of kind `unsupported` for attributes only where the model has no call for them, whatever the item.
    func set(_ fact: ItemFact, of identifier: String, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Puts an item into the trash. The engine repeats what it got no answer to: what is in the trash stays there.
    func trash(_ identifier: String, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Takes an item out of the trash.
    func untrash(_ request: ProviderUntrashCall, _ question: Question) throws(ProviderFailure) -> ProviderItem

    /// Has small pictures be fetched.
    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping @Sendable (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress

    /// The services for an item, restricted ones too.
    func services(of identifier: String, _ question: Question) throws(ProviderFailure) -> ServiceSources

    /// Which item's file is at a place in the provider's own storage; `nil` for none.
    func identifier(ofFileAt path: String) -> String?

    /// Has an item's file, or what stands for it, be at its place in the provider's own storage.
    func start(_ request: ProviderStartCall, _ question: Question) throws(ProviderFailure)

    /// A file in the provider's own storage was changed.
    func noteChange(at path: String)

    /// Nothing is asked any more.
    func end()
}

/// A provider's services. Sendable because what is done with them is done by client code, for one question at a time.
struct ServiceSources: @unchecked Sendable {
    let sources: [any NSFileProviderServiceSource]
}

extension Result<ProviderItem, ProviderFailure> {
    /// What a provider's handler is called with.
    static func of(_ item: (any NSFileProviderItem)?, _ error: (any Error)?) -> Self {
        if let error { return .failure(ProviderFailure(error)) }
        guard let item else {
            return .failure(
                ProviderFailure(.badAnswer, message: "the provider answered with neither an item nor an error"))
        }
        return .success(ProviderItem(item))
    }
}

extension ProviderFailure {
    /// What a provider may say of the root, and many do not: it is there all the same.
    ///
    /// - Parameter name: what people call the domain.
    /// - Returns: `nil` where the failure says something else.
    func root(named name: String?) -> ProviderItem? {
        guard kind == .noSuchItem || kind == .unsupported else { return nil }
        let name = name ?? ""
        return ProviderItem(
            identifier: ProviderItem.rootIdentifier, parent: ProviderItem.rootIdentifier,
            filename: name.isEmpty ? "root" : name, kind: .folder)
    }
}
