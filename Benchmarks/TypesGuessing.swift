import UniformTypeIdentifiers

/// Types of files by name and by content: speed and accuracy, against GIO, on the list of test files of
/// shared-mime-info.
enum TypesGuessing {
    private static let rounds = 20

    static func measure(_ report: inout Report) throws {
        guard let database = MIMEDatabase.shared else {
            report.skip("types of files", because: "no MIME database here (Debian package shared-mime-info)")
            return
        }
        guard let gio = GIO() else {
            report.miss("GIO", because: "no libgio-2.0.so.0 here (Debian package libglib2.0-0)")
            return
        }
        let list = try TypesTestList()
        speedByName(list.entries, database, gio, &report)
        speedByContent(list.entries, database, gio, &report)
        report.add("files on the list", Double(list.entries.count), .count)
        accuracy(list.entries, database, gio, &report)
    }

    private static func speedByName(
        _ entries: [TypesTestList.Entry], _ database: MIMEDatabase, _ gio: GIO, _ report: inout Report
    ) {
        let names = entries.map { Array($0.name.utf8CString) }
        let theirs = {
            for _ in 0..<rounds {
                for name in names { name.withUnsafeBufferPointer { gio.guess($0.baseAddress, nil) } }
            }
        }
        // The sum of lengths prevents the compiler from optimizing the calls away.
        var length = 0
        let mime = Measure.medians {
            for _ in 0..<rounds {
                for entry in entries { length &+= database.guess(fileName: entry.name, content: nil).utf8.count }
            }
        } _: {
            theirs()
        }
        add("MIME type by name", mime, entries.count, &report)
        let type = Measure.medians {
            for _ in 0..<rounds {
                for entry in entries { length &+= UTType.type(ofFileName: entry.name).identifier.utf8.count }
            }
        } _: {
            theirs()
        }
        add("UTType by name", type, entries.count, &report)
        Measure.keep(length)
    }

    private static func speedByContent(
        _ entries: [TypesTestList.Entry], _ database: MIMEDatabase, _ gio: GIO, _ report: inout Report
    ) {
        let theirs = {
            for _ in 0..<rounds {
                for entry in entries { entry.content.withUnsafeBytes { gio.guess(nil, $0) } }
            }
        }
        var length = 0
        let mime = Measure.medians {
            for _ in 0..<rounds {
                for entry in entries {
                    entry.content.withUnsafeBytes { length &+= database.guess(fileName: nil, content: $0).utf8.count }
                }
            }
        } _: {
            theirs()
        }
        add("MIME type by content", mime, entries.count, &report)
        let type = Measure.medians {
            for _ in 0..<rounds {
                for entry in entries {
                    entry.content.withUnsafeBytes { length &+= UTType.type(ofContent: $0).identifier.utf8.count }
                }
            }
        } _: {
            theirs()
        }
        add("UTType by content", type, entries.count, &report)
        Measure.keep(length)
    }

    private static func add(
        _ name: String, _ times: (ours: Double, theirs: Double), _ entries: Int, _ report: inout Report
    ) {
        let calls = Double(entries * rounds)
        report.add(
            name, times.ours / calls, .seconds, peer: Figure.Peer(name: "GIO", value: times.theirs / calls),
            target: .ratioAtMost(1))
    }

    /// Counts the correct types, with aliases as equal.
    private static func accuracy(
        _ entries: [TypesTestList.Entry], _ database: MIMEDatabase, _ gio: GIO, _ report: inout Report
    ) {
        let right = { (type: (TypesTestList.Entry, UnsafeRawBufferPointer) -> String) in
            Double(
                entries.count { entry in
                    let type = entry.content.withUnsafeBytes { type(entry, $0) }
                    return database.canonical(type) == database.canonical(entry.expected)
                })
        }
        let add = { (name: String, ours: Double, theirs: Double, report: inout Report) in
            report.add(
                name, ours, .count, peer: Figure.Peer(name: "GIO", value: theirs), target: .ratioAtLeast(1))
        }
        add(
            "right by name", right { entry, _ in database.guess(fileName: entry.name, content: nil) },
            right { entry, _ in gio.type(entry.name, nil) }, &report)
        add(
            "right by content", right { database.guess(fileName: nil, content: $1) }, right { gio.type(nil, $1) },
            &report)
        add(
            "right by both", right { database.guess(fileName: $0.name, content: $1) },
            right { gio.type($0.name, $1) }, &report)
    }
}
