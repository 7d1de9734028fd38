extension Section {
    /// Types: the registry and the freedesktop database, against GIO.
    static let types = Section(name: "types") { report in
    }
}
