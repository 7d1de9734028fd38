import AppExtension
import DomainMessages
import ExtensionHost
import FileProviderEngine
import ItemStore
import LinuxSystem

/// The custom actions of a provider. The provider performs some of them itself. For the other actions, an extension
/// shows a user interface.
struct ProviderActions: Sendable {
    struct Choice: Sendable {
        let action: ExtensionAction
        /// The extension with the user interface; `nil` if the provider performs the action itself.
        let interface: ExtensionBundle?

        var description: ActionDescription {
            ActionDescription(
                identifier: action.identifier, name: action.name, interface: interface?.identifier,
                input: interface == nil ? action.input : nil, concernsVersions: action.topic == .versions)
        }
    }

    private let choices: [Choice]
    /// The provider's user interfaces, by identifier.
    let interfaces: [ExtensionBundle]
    /// Sentences about the faults of invalid actions.
    let faults: [String]

    /// Reads the actions from the property lists. Blocks on the disk.
    init(of provider: String, data: String) throws {
        let library = ExtensionLibrary(data: data)
        let bundle = try library.find(provider)
        interfaces = library.all.filter { $0.isInterface(of: bundle) }
        choices =
            bundle.actions.map { Choice(action: $0, interface: nil) }
            + interfaces.flatMap { interface in interface.actions.map { Choice(action: $0, interface: interface) } }
        faults = ([bundle] + interfaces).flatMap { bundle in bundle.actionFaults.map { "\(bundle.identifier): \($0)" } }
    }

    /// Returns the actions that fit the given item. Blocks on the disk.
    func fitting(_ item: DomainItem) throws -> [Choice] {
        let (engine, number) = (item.domain.engine, item.item.number)
        let index = engine.index
        guard let subject = try index.actionSubject(of: number, engine.uploads[number]) else { return [] }
        let domain = try index.actionDomain()
        return choices.filter { $0.action.accepts([subject], domain: domain) }
    }

    /// Returns the action with the given identifier, if it fits the given item. Blocks on the disk.
    func find(_ identifier: String, for item: DomainItem, named path: String) throws -> Choice {
        if let choice = try fitting(item).first(where: { $0.action.identifier == identifier }) { return choice }
        let complaint: String
        if choices.contains(where: { $0.action.identifier == identifier }) {
            complaint = "the action \(identifier) does not fit \(path)"
        } else {
            complaint = SpellingSuggestion.sentence(
                "the action \(identifier) is none of the provider's", about: identifier,
                known: choices.flatMap { [$0.action.name, $0.action.identifier] })
        }
        throw DomainError("\(complaint); 'purvey actions' lists those that fit", .noSuchAction)
    }
}
