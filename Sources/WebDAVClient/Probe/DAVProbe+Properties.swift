import HTTPTransport

extension DAVProbe {
    mutating func checkReading() async throws(DAVError) {
        let file = try file("range")
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        _ = try await client.put(.bytes(bytes), to: file)
        let range = HTTPByteRange(100..<200)
        let part = try await client.get(file, range: range, to: .memory(limit: 4_096))
        profile.sendsRanges = !part.isWhole && part.bytes == Array(bytes[100..<200])
        let hasTags = profile.tagging == .strong || profile.tagging == .weakAtFirst
        guard profile.sendsRanges, hasTags, let wrong = Self.wrongTag else { return }
        // ``DAVClient/get(_:range:if:to:)`` throws an error for a wrong tag, so the request is sent without that
        // function.
        var request = client.request(.get, file)
        request.range = range
        request.headers["If-Range"] = wrong.conditionValue
        profile.honoursIfRange = try await client.send(request).contentRange == nil
    }

    mutating func checkDirectories() async throws(DAVError) {
        let client = client
        let directory = try child("directory").asDirectory
        try await client.makeDirectory(directory)
        let deep = try child("deep", of: directory).asDirectory
        try await client.makeDirectory(deep)
        _ = try await client.put(.text("deep"), to: child("file.txt", of: deep))
        let listing = try await client.list(scratch)
        let entries = try await listing.all()
        profile.honoursDepth = await listing.deeperCount == 0
        guard entries.contains(where: { $0.name == "directory" && $0.isDirectory }) else {
            throw .truncatedListing(DAVError.name(of: scratch))
        }
        profile.refusesExistingDirectories =
            try await !isDone { () throws(DAVError) in try await client.makeDirectory(directory) }
        let orphan = try child("file.txt", of: child("missing"))
        profile.makesParents = try await isDone { () throws(DAVError) in
            _ = try await client.put(.text("orphan"), to: orphan)
        }
    }

    mutating func checkRemovingOfTrees() async throws(DAVError) {
        let (client, directory) = (client, try child("directory").asDirectory)
        profile.removesTrees = try await isDone { () throws(DAVError) in try await client.delete(directory) }
    }

    mutating func checkDates() async throws(DAVError) {
        let client = client
        let (file, date, later) = (try file("date"), HTTPDate(seconds: 1_000_000_000), HTTPDate(seconds: 1_100_000_000))
        _ = try await client.put(.text("date"), to: file, modified: date)
        profile.takesDateOnUpload = try await client.entry(at: file).modified == date
        if profile.takesDateOnUpload, let first = try await tag(file) {
            // Some servers compute tags only from the date and the size.
            _ = try await client.put(.text("size"), to: file, modified: date)
            if try await tag(file)?.opaque == first.opaque { profile.distinguishesQuickChanges = false }
        }
        let isSet = try await isDone { () throws(DAVError) in _ = try await client.setModified(later, of: file) }
        if isSet { profile.takesDateByProperty = try await client.entry(at: file).modified == later }
    }

    mutating func checkNames() async throws(DAVError) {
        let client = client
        let (decomposed, special) = ("e\u{301}.txt", "a #1 100% +&;=@,'~.txt")
        let directory = try child("names").asDirectory
        try await client.makeDirectory(directory)
        for name in [decomposed, special, "Case.txt", "case.txt"] {
            let file = try child(name, of: directory)
            _ = try await isDone { () throws(DAVError) in _ = try await client.put(.text(name), to: file) }
        }
        let hidden = try child(".hidden.txt", of: directory)
        let isTaken = try await isDone { () throws(DAVError) in
            _ = try await client.put(.text("hidden"), to: hidden)
            _ = try await client.entry(at: hidden)
        }
        let names = try await client.list(directory).all().map { Array($0.name.utf8) }
        if isTaken { profile.listsHiddenFiles = names.contains(Array(".hidden.txt".utf8)) }
        if names.contains(Array(decomposed.utf8)) {
            profile.naming = .kept
        } else {
            profile.naming = names.contains(Array("\u{E9}.txt".utf8)) ? .composed : .refused
        }
        profile.keepsSpecialNames = names.contains(Array(special.utf8))
        profile.distinguishesCase = names.contains(Array("Case.txt".utf8)) && names.contains(Array("case.txt".utf8))
    }
}
