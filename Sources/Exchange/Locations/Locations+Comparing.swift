import Conduit
import Glibc
import LinuxSystem

extension Locations {
    /// Adds the call that asks for the folders of a daemon with these locations.
    package func addCalls(to service: inout Service) {
        let reply = FoldersCall.Reply(data: data, mounts: mounts)
        service.on(FoldersCall.self) { _, call in call.reply(reply) }
    }

    /// Makes sure that the daemon at the other end of a connection has the folders of these locations. Blocks until the
    /// daemon has answered.
    ///
    /// The socket is where the session has it, and the rest is where the home folder is: a daemon that was started with another
    /// home folder has the place at the socket, and would serve this process from there.
    ///
    /// - Throws: ``ExchangeError/refused(_:)``; ``ExchangeError/interrupted(_:)`` when the daemon goes away.
    package func check(_ connection: Connection) throws(ExchangeError) {
        let folders: FoldersCall.Reply
        do throws(ConduitError) {
            folders = try connection.callAndWait(FoldersCall())
        } catch .disconnected(let reason) {
            throw .interrupted("\(reason)")
        } catch {
            // A daemon of the version before does not know the question.
            return
        }
        let differences: [(verb: String, theirs: String, ours: String)] = [
            ("keeps its data in", folders.data, data), ("mounts in", folders.mounts, mounts),
        ]
        let found = differences.first { Self.resolved($0.theirs) != Self.resolved($0.ours) }
        guard let (verb, theirs, ours) = found else { return }
        let process = connection.peer.credentials.processID
        throw .refused(
            "the daemon at \(socket) \(verb) \(theirs), and this program would in \(ours): "
                + "end that daemon (process \(process)), or set HOME and XDG_DATA_HOME as it has them")
    }

    /// Returns a path without links in the part of it that is there.
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
