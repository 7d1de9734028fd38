import UniformTypeIdentifiers

extension Section {
    /// Types: the registry and the freedesktop database, against GIO.
    static let types = Section(name: "types") { report in
        try Types.guessing(&report)
    }
}

extension ChildRole {
    /// Opens the MIME database and prints how many seconds the first answer took.
    static let databaseReady = ChildRole(name: "database-ready") { _ in
        let time = Measure.seconds { Measure.keep(MIMEDatabase.shared?.guess(fileName: "a.png", content: nil)) }
        print(time)
    }
}

/// The measurements of the section `types`.
private enum Types {
    /// By name and by content: how fast, and how often right, on shared-mime-info's own list of test files.
    static func guessing(_ report: inout Report) throws {
        guard let database = MIMEDatabase.shared else {
            report.skip("types of files", because: "no MIME database here (Debian package shared-mime-info)")
            return
        }
        guard let gio = GIO() else {
            report.skip("types of files", because: "no libgio-2.0.so.0 here (Debian package libglib2.0-0)")
            return
        }
        let list = try TypesTestList()
        let entries = list.entries
        let names = entries.map { Array($0.name.utf8CString) }
        let rounds = 20
        let calls = Double(entries.count * rounds)
        let byName = Measure.medians {
            var length = 0
            for _ in 0..<rounds {
                for entry in entries { length &+= database.guess(fileName: entry.name, content: nil).utf8.count }
            }
            Measure.keep(length)
        } _: {
            for _ in 0..<rounds {
                for name in names { name.withUnsafeBufferPointer { gio.guess($0.baseAddress, nil) } }
            }
        }
        report.add(
            "type by name", byName.ours / calls, .seconds, peer: Figure.Peer(name: "GIO", value: byName.theirs / calls),
            target: .ratioAtMost(1))
        let byContent = Measure.medians {
            var length = 0
            for _ in 0..<rounds {
                for entry in entries {
                    entry.content.withUnsafeBytes { length &+= database.guess(fileName: nil, content: $0).utf8.count }
                }
            }
            Measure.keep(length)
        } _: {
            for _ in 0..<rounds {
                for entry in entries { entry.content.withUnsafeBytes { gio.guess(nil, $0) } }
            }
        }
        report.add(
            "type by content", byContent.ours / calls, .seconds,
            peer: Figure.Peer(name: "GIO", value: byContent.theirs / calls), target: .ratioAtMost(1))
        let cold = try (0..<9).map { _ in Double(try Child.output(of: .databaseReady).split(separator: "\n")[0]) ?? 1 }
        report.add("database ready, fresh process", Measure.median(cold), .seconds, target: .atMost(0.005))
        report.add("files on the list", Double(entries.count), .count)
        let right = { (type: (TypesTestList.Entry) -> String) in
            Double(entries.count { database.canonical(type($0)) == database.canonical($0.expected) })
        }
        report.add(
            "right by name", right { database.guess(fileName: $0.name, content: nil) }, .count,
            peer: Figure.Peer(name: "GIO", value: right { gio.type($0.name, nil) }), target: .ratioAtLeast(1))
        report.add(
            "right by content",
            right { entry in entry.content.withUnsafeBytes { database.guess(fileName: nil, content: $0) } }, .count,
            peer: Figure.Peer(
                name: "GIO", value: right { entry in entry.content.withUnsafeBytes { gio.type(nil, $0) } }),
            target: .ratioAtLeast(1))
        report.add(
            "right by both",
            right { entry in entry.content.withUnsafeBytes { database.guess(fileName: entry.name, content: $0) } },
            .count,
            peer: Figure.Peer(
                name: "GIO", value: right { entry in entry.content.withUnsafeBytes { gio.type(entry.name, $0) } }),
            target: .ratioAtLeast(1))
    }
}
