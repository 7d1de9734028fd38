import FileCoordination

/// Messages of processes to an arbiter that does not know them: a new arbiter, or one that knows a process only by its
/// former number.
extension Schedule {
    /// Replaces the arbiter by a new one without state. The processes report their granted claims first, and then the
    /// waiting ones.
    mutating func takeOver() throws {
        count("taken over")
        arbiter = Arbiter()
        questions = [:]
        asked = [:]
        log.append(.loss(of: nil))
        let waiting = takeWaiting(of: clients)
        var left = clients
        while let client = choose(left) {
            left.removeAll { $0 == client }
            try tellGranted(of: client)
        }
        left = clients
        while let client = choose(left) {
            left.removeAll { $0 == client }
            try tellWaiting(waiting, of: client)
        }
    }

    /// Disconnects a process and connects it again. The arbiter retains its granted claims meanwhile.
    mutating func comeBack() throws {
        guard let old = choose(clients), let place = clients.firstIndex(of: old) else { return }
        count("came back")
        questions = questions.filter { $0.value.client != old }
        let waiting = takeWaiting(of: [old])
        // Presenters of the disconnected process are not asked meanwhile.
        for index in presenters.indices where presenters[index].client == old { presenters[index].since = .max }
        log.append(.loss(of: old))
        try take(arbiter.end(client: old, keepingGranted: true))
        // Other processes continue.
        _ = try finishSomething(except: old)
        let client = (clients.max() ?? 0) + 1
        clients[place] = client
        for (identifier, model) in claims where identifier.client == old {
            claims[identifier] = nil
            var model = model
            model.client = client
            claims[ClaimIdentifier(client: client, number: identifier.number)] = model
        }
        for index in presenters.indices where presenters[index].client == old { presenters[index].client = client }
        try tellGranted(of: client, formerly: old)
        log.append(.death(old))
        try take(arbiter.end(client: old))
        try tellWaiting(waiting, of: client)
    }

    /// Removes and returns the waiting claims. They have no position in the queue until they are made again.
    private mutating func takeWaiting(of clients: [UInt64]) -> [Model] {
        let waiting = claims.filter { clients.contains($0.key.client) && $0.value.phase == .waiting }
        for identifier in waiting.keys { claims[identifier] = nil }
        return waiting.values.sorted { $0.request.number < $1.request.number }
    }

    private mutating func tellGranted(of client: UInt64, formerly old: UInt64? = nil) throws {
        for presenter in presenters where presenter.client == client {
            try apply(.present(presenter.place), from: client)
        }
        for index in presenters.indices where presenters[index].client == client { presenters[index].since = moment }
        // The requests of the previous connection have ended.
        for identifier in claims.keys where identifier.client == client { claims[identifier]?.request.answering = [] }
        let granted = claims.filter { $0.key.client == client && $0.value.phase == .granted }.map(\.value.request)
        for request in granted.sorted(by: { $0.number < $1.number }) {
            adopted = ClaimIdentifier(client: client, number: request.number)
            defer { adopted = nil }
            try apply(.adopt(request), from: client)
            if let old { try apply(.cancel(claim: request.number), from: old) }
        }
        try apply(.adoptedAll, from: client)
    }

    private mutating func tellWaiting(_ waiting: [Model], of client: UInt64) throws {
        for var model in waiting where model.client == client || !clients.contains(model.client) {
            model.client = client
            model.request.answering = []
            model.order = made
            model.isUncertain = false
            model.apart = []
            model.asked = []
            model.passed = []
            model.mayHaveTurn = false
            model.since = moment
            made += 1
            claims[ClaimIdentifier(client: client, number: model.request.number)] = model
            try apply(.claim(model.request), from: client)
        }
    }
}
