import HTTPTransport

extension DAVProbe {
    mutating func checkWriting() async throws(DAVError) {
        let (client, file, absent) = (client, try file("put"), try file("absent"))
        try await settle()
        if let right = try await tag(file), let wrong = Self.wrongTag {
            profile.putIfMatch = try await adherence { () throws(DAVError) in
                _ = try await client.put(.text("three"), to: file, if: DAVRequirements(resource: .tag(wrong)))
            } _: { () throws(DAVError) in
                _ = try await client.put(.text("three"), to: file, if: DAVRequirements(resource: .tag(right)))
            }
        }
        let existing = try self.file("new")
        profile.putIfNoneMatch = try await adherence { () throws(DAVError) in
            _ = try await client.put(.text("four"), to: existing, if: DAVRequirements(resource: .absent))
        } _: { () throws(DAVError) in
            _ = try await client.put(.text("four"), to: absent, if: DAVRequirements(resource: .absent))
        }
    }

    mutating func checkMoving() async throws(DAVError) {
        let (client, source, moved) = (client, try file("move"), try file("moved"))
        if let right = try await tag(source), let wrong = Self.wrongTag {
            profile.moveIfMatch = try await adherence { () throws(DAVError) in
                try await client.move(
                    source, to: moved, if: DAVRequirements(resource: .tag(wrong), destination: .absent))
            } _: { () throws(DAVError) in
                try await client.move(
                    source, to: moved, if: DAVRequirements(resource: .tag(right), destination: .absent))
            }
        }
        let (over, existing, free) = (try file("over"), try file("overwrite"), try file("free"))
        profile.moveWithoutOverwriting = try await adherence { () throws(DAVError) in
            try await client.move(over, to: existing, if: DAVRequirements(destination: .absent))
        } _: { () throws(DAVError) in
            try await client.move(over, to: free, if: DAVRequirements(destination: .absent))
        }
        let (replacing, replaced) = (try file("replace"), try file("replaced"))
        if let right = try await tag(replaced), let wrong = Self.wrongTag {
            profile.moveIfDestinationMatches = try await adherence { () throws(DAVError) in
                try await client.move(replacing, to: replaced, if: DAVRequirements(destination: .tag(wrong)))
            } _: { () throws(DAVError) in
                try await client.move(replacing, to: replaced, if: DAVRequirements(destination: .tag(right)))
            }
        }
        let (original, copy) = (try file("copy"), try file("copied"))
        profile.copies = try await isDone { () throws(DAVError) in
            try await client.copy(original, to: copy, if: DAVRequirements(destination: .absent))
        }
    }

    mutating func checkRemoving() async throws(DAVError) {
        let (client, file) = (client, try file("delete"))
        guard let right = try await tag(file), let wrong = Self.wrongTag else { return }
        profile.deleteIfMatch = try await adherence { () throws(DAVError) in
            try await client.delete(file, if: DAVRequirements(resource: .tag(wrong)))
        } _: { () throws(DAVError) in
            try await client.delete(file, if: DAVRequirements(resource: .tag(right)))
        }
    }

    /// Checks that requests without a file's lock token cannot write, overwrite or remove the file, and that the same
    /// requests succeed with the token.
    mutating func checkLocks() async throws(DAVError) {
        let (client, file, other) = (client, try file("lock"), try file("locked"))
        var granted: DAVLock?
        _ = try await isDone { () throws(DAVError) in granted = try await client.lock(file, owner: "Purvey") }
        guard let lock = granted else { return }
        locks.append(lock)
        profile.locking = .ignored
        let mine = DAVRequirements(locks: [lock])
        let isWritten = try await isDone { () throws(DAVError) in
            _ = try await client.put(.text("without the lock"), to: file)
        }
        let isReplaced = try await isDone { () throws(DAVError) in
            try await client.move(other, to: file, if: DAVRequirements())
        }
        var isRemoved = false
        if !isWritten, !isReplaced {
            isRemoved = try await isDone { () throws(DAVError) in try await client.delete(file) }
        }
        guard !isWritten, !isReplaced, !isRemoved else { return await unlock() }
        let ownIsWritten = try await isDone { () throws(DAVError) in
            _ = try await client.put(.text("with the lock"), to: file, if: mine)
        }
        if ownIsWritten { profile.locking = .enforced }
        profile.replacesUnderLock = try await isDone { () throws(DAVError) in
            try await client.move(other, to: file, if: mine)
        }
        try await checkMovingOfLocked()
        await unlock()
    }

    private mutating func checkMovingOfLocked() async throws(DAVError) {
        let (client, file, left) = (client, try file("leave"), try file("left"))
        var granted: DAVLock?
        _ = try await isDone { () throws(DAVError) in granted = try await client.lock(file, owner: "Purvey") }
        guard let lock = granted else { return }
        // On some servers, the lock stays at the former address. On others, it moves with the file.
        locks += [lock, DAVLock(address: left, token: lock.token)]
        profile.movesUnderLock = try await isDone { () throws(DAVError) in
            try await client.move(file, to: left, if: DAVRequirements(destination: .absent, locks: [lock]))
        }
    }

    /// Removes the probe's locks, because they would prevent the removal of its directory. Some locks may have ended
    /// already.
    mutating func unlock() async {
        for lock in locks { try? await client.unlock(lock) }
        locks = []
    }
}
