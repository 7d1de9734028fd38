import Conduit
import Glibc
import LinuxSystem

extension Locations {
    /// Adds the handler of ``FoldersCall``, which replies with these locations' directories.
    package func addCalls(to service: inout Service) {
        let reply = FoldersCall.Reply(data: data, mounts: mounts)
        service.on(FoldersCall.self) { _, call in call.reply(reply) }
    }

    /// Checks that the daemon at the other end of a connection uses the directories of these locations. Blocks until
    /// the daemon replies.
    ///
    /// The socket's path depends on the session, but the other paths depend on the home directory. Without the check, a
    /// daemon that was started with another home directory would serve this process from that directory.
    ///
    /// - Throws: ``ExchangeError/refused(_:)`` if the directories differ; ``ExchangeError/interrupted(_:)`` if the
    ///   daemon ends.
    package func check(_ connection: Connection) throws(ExchangeError) {
        let folders: FoldersCall.Reply
        do throws(ConduitError) {
            folders = try connection.callAndWait(FoldersCall())
        } catch .disconnected(let reason) {
            throw .interrupted("\(reason)")
        } catch {
            // A daemon of the previous version does not know the call.
            return
        }
        let differences: [(verb: String, ourVerb: String, theirs: String, ours: String)] = [
            ("keeps its data in", "keep its own in", folders.data, data),
            ("mounts in", "mount in", folders.mounts, mounts),
        ]
        let found = differences.first { Self.resolved($0.theirs) != Self.resolved($0.ours) }
        guard let (verb, ourVerb, theirs, ours) = found else { return }
        let process = connection.peer.credentials.processID
        throw .refused(
            "the daemon at \(socket) \(verb) \(theirs), and this program would \(ourVerb) \(ours): "
                + "end that daemon (process \(process)), or set HOME and XDG_DATA_HOME as it has them")
    }

    /// Returns a path in which the symbolic links of the existing part are resolved.
    private static func resolved(_ path: String) -> String {
        var (beginning, rest) = (path[...], "")
        while !beginning.isEmpty {
            if let found = realpath(String(beginning), nil) {
                defer { free(found) }
                let whole = String(cString: found)
                return (whole == "/" ? "" : whole) + rest
            }
            let slash = beginning.lastSlash ?? beginning.startIndex
            rest = beginning[slash...] + rest
            beginning = beginning[..<slash]
        }
        return rest
    }
}
