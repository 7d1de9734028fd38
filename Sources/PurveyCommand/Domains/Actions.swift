import DomainMessages
import FileProviderWire
import LinuxSystem

extension Command {
    static let actions = Command(
        name: "actions", summary: "list the provider's own actions for an item, or run one",
        usage: ["[--json] PATH", "PATH RUN [INPUT]"], options: [.flag("json", "print JSON")],
        discussion: """
            PATH is a path in a mount, or DOMAIN:PATH, which needs no mount. RUN is an action's identifier or its name.
            The list is made on this machine, without a request to the provider. An action that is followed by ... asks
            for more input: INPUT, or else the answer on the terminal. The reply of an action, such as the address of a
            share, is printed; an action for the browser opens it.
            """
    ) { arguments in
        let operands = arguments.operands
        guard let path = operands.first else { throw UsageError("a path is missing") }
        guard operands.count <= 3 else { throw UsageError("unexpected argument '\(operands[3])'") }
        if operands.count >= 2, arguments.has("json") { throw UsageError("--json goes with the list") }
        let place = DomainClient.place(path)
        let known = try await DomainClient.call(ListActionsCall(place: place))
        for fault in known.faults { StandardError.complain("actions: \(fault)") }
        guard operands.count >= 2 else {
            if arguments.has("json") { return try JSONOutput.print(known.actions.map(ListedAction.init)) }
            if known.actions.isEmpty { StandardError.note("the provider has no action that fits \(path)") }
            for action in known.actions { try StandardOutput.print(action.line + "\n") }
            return
        }
        let action = try find(operands[1], among: known.actions)
        if operands.count == 3, let action, action.input == nil {
            throw UsageError("the action \(action.identifier) takes no input")
        }
        if let action, action.interface != nil {
            return try await InterfaceSession.perform(action.identifier, at: place)
        }
        let input = try operands.count == 3 ? operands[2] : action?.input.map(ask(for:))
        let request = PerformActionCall(place: place, action: action?.identifier ?? operands[1], input: input)
        try show(try await perform(request))
    }

    private static func perform(_ request: PerformActionCall) async throws -> PerformActionCall.Reply {
        let bar = ProgressBar()
        bar.show()
        defer { bar.end() }
        return try await DomainClient.call(request, once: true) { completed, total in
            if total > 0 { bar.report(Double(completed) / Double(total)) }
        }
    }

    /// Asks the user on the terminal for the input that an action needs.
    private static func ask(for input: String) throws -> String {
        guard let terminal = Terminal() else {
            throw CommandError("the action needs \(OneLine.text(input)): give INPUT")
        }
        guard let line = try terminal.ask("Enter \(OneLine.text(input)): "), !line.isEmpty else {
            throw CommandError("nothing was entered")
        }
        return line
    }

    /// Prints an action's reply, and opens its link.
    private static func show(_ reply: PerformActionCall.Reply) throws {
        for line in reply.lines { try StandardOutput.print(OneLine.text(line) + "\n") }
        guard let link = reply.link else { return }
        try StandardOutput.print(OneLine.text(link) + "\n")
        if reply.opensLink { BrowserLink.open(link) }
    }

    /// Returns the action with the given identifier or, if there is none, with the given name; `nil` if no action has
    /// either.
    private static func find(_ word: String, among actions: [ActionDescription]) throws -> ActionDescription? {
        if let exact = actions.first(where: { $0.identifier == word }) { return exact }
        let named = actions.filter { $0.name == word }
        guard named.count <= 1 else {
            let identifiers = named.map(\.identifier).joined(separator: ", ")
            throw CommandError("several actions are called \"\(word)\": \(identifiers)")
        }
        return named.first
    }
}

extension ActionDescription {
    /// The action's line in the list that users read.
    fileprivate var line: String {
        let ending = (interface == nil && input == nil) || name.hasSuffix("…") || name.hasSuffix("...") ? "" : "..."
        return OneLine.text(identifier) + "  " + OneLine.text(name) + ending
    }
}

/// An action in the JSON of `purvey actions`.
private struct ListedAction: Encodable {
    let identifier, name: String
    /// Whether the action asks the user for further input.
    let asks: Bool

    init(_ action: ActionDescription) {
        (identifier, name, asks) = (action.identifier, action.name, action.interface != nil || action.input != nil)
    }
}
