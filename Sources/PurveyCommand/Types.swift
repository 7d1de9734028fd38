extension Command {
    static let types = Command(
        name: "types", summary: "the type of a file, a file extension, a MIME type or an identifier",
        usage: ["[--json] FILE…"], options: [.flag("json", "print JSON")]
    ) { arguments in
    }
}
