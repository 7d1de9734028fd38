import DomainMessages

extension Command {
    static let keyring = Command(
        name: "keyring", summary: "show where the key of the stored passwords is, or unlock the desktop's keyring",
        usage: ["[--json]", "unlock", "reset"], options: [.flag("json", "print JSON")],
        discussion: """
            The stored passwords are in an encrypted file. Its key is in the desktop's keyring, if there is one.
            unlock   have the desktop ask for the keyring's password; waiting work goes on
            reset    if the key is lost: set the stored passwords aside, so that you sign in anew
            """
    ) { arguments in
        let action: KeyringCall.Action
        switch arguments.operands.first {
        case nil: action = .describe
        case "unlock": action = .unlock
        case "reset": action = .reset
        case let word?:
            throw UsageError(about: word, "there is no 'keyring \(word)'", known: ["unlock", "reset"], listing: true)
        }
        guard arguments.operands.count <= 1 else { throw UsageError("unexpected argument '\(arguments.operands[1])'") }
        let reply = try await DomainClient.call(KeyringCall(action), once: action == .reset)
        if arguments.has("json") { return try JSONOutput.print(ListedKey(key: reply.place, error: reply.fault)) }
        try StandardOutput.print("key of the stored passwords: \(reply.place)\n")
        if let fault = reply.fault { try StandardOutput.print("   error: \(OneLine.text(fault))\n") }
    }

    /// The place of the key, as JSON.
    private struct ListedKey: Encodable {
        let key: String
        let error: String?
    }
}
