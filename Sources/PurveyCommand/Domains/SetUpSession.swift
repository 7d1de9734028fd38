import Conduit
import Dispatch
import FileProvider
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem

/// The user's side of a domain's set-up. The daemon forwards the provider's questions, and the user answers them on the
/// terminal.
///
/// Passwords are sent only in messages over sockets, and never appear in arguments, in the environment or in a log.
final class SetUpSession: Sendable {
    private let terminal = Terminal()
    /// The password from `--password-file` and the user's name from `user=`, until their first use.
    private let given: Lock<(password: String, user: String?)?>
    private let hasPasswordFile: Bool
    /// The serial queue that asks the user the questions. Each question blocks the queue until the user has answered.
    private let queue = DispatchQueue(label: "purvey.set-up")

    private init(password: String?, user: String?) {
        hasPasswordFile = password != nil
        given = Lock(password.map { ($0, user) })
    }

    /// Runs a function that makes the daemon set up a domain. Meanwhile, answers the provider's questions.
    ///
    /// - Parameters:
    ///   - password: The password from `--password-file`; `nil` to ask the user.
    ///   - user: The user's name, if it is among the settings.
    ///   - body: Makes the call, with the socket for the questions.
    static func run<Value: Sendable>(
        password: String?, user: String?, _ body: @escaping @Sendable (FileDescriptor) async throws -> Value
    ) async throws -> Value {
        let session = SetUpSession(password: password, user: user)
        let socket = Lock<FileDescriptor?>(nil)
        let connection = try session.connection(leaving: socket)
        defer { connection.close() }
        let interruption = await Interruption()
        defer { interruption.end() }
        let work = Task {
            // The socket is closed when the call has ended. The connection then ends, unless the daemon also has the
            // socket open.
            guard let socket = socket.withLock({ $0.take() }) else { throw CancellationError() }
            return try await body(socket)
        }
        interruption.setAction {
            session.terminal?.interrupt()
            // The daemon then ends the set-up, and replies when it has removed the unfinished domain.
            connection.close()
            Deadlines.shared.run(after: patience) { work.cancel() }
        }
        let result = await work.result
        await session.showReports(of: connection)
        do {
            return try result.get()
        } catch {
            throw interruption.hasHappened ? CommandError("interrupted") : error
        }
    }

    /// Returns a connection. Stores the socket at the other end in `socket`, and keeps no other reference to it.
    private func connection(leaving socket: borrowing Lock<FileDescriptor?>) throws -> Connection {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        socket.withLock { $0 = theirs.descriptor }
        return try Connection(ours, service: service)
    }

    /// Waits until all lines that the provider has reported are shown. The daemon's reply arrives on another
    /// connection, and may arrive before the lines.
    private func showReports(of connection: Connection) async {
        // If the daemon has closed the connection, all reports have arrived, too.
        _ = try? await connection.call(SetUpFlushCall())
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// The timeout for the daemon's reply after an interruption.
    private static let patience: Duration = .seconds(10)

    /// The calls that the daemon makes. Their handlers retain no reference to the connection, because the connection
    /// retains the handlers.
    private var service: Service {
        var service = Service()
        service.on(SetUpCredentialsCall.self) { [self] request, call in
            queue.async {
                do throws(RemoteError) {
                    call.reply(try self.credentials(request))
                } catch {
                    call.fail(error)
                }
            }
        }
        service.on(SetUpOpenCall.self) { [self] request, call in
            queue.async {
                self.say(request.message)
                self.say("   " + request.link)
                BrowserLink.open(request.link)
                call.reply(Empty())
            }
        }
        service.on(SetUpReportNotice.self) { [self] notice, _ in
            queue.async { self.say(notice.line) }
        }
        return service
    }

    /// Shows a line of the provider's text, with control characters replaced so that they cannot move the cursor.
    private func say(_ line: String) { StandardError.say(OneLine.text(line)) }

    private func credentials(_ request: SetUpCredentialsCall) throws(RemoteError) -> SetUpCredentialsCall.Reply {
        if hasPasswordFile { return try givenCredentials(request) }
        guard let terminal else {
            throw SetUpFault.remote(
                .unasked, "there is no terminal to ask for the password on; give user= and --password-file")
        }
        do {
            let server = OneLine.text(request.server)
            guard let user = try request.user ?? terminal.ask("User name for \(server): "),
                let password = try terminal.ask("Password for \(OneLine.text(user)) at \(server): ", isSecret: true)
            else { throw SetUpFault.remote(.interrupted, "interrupted") }
            return SetUpCredentialsCall.Reply(user: user, password: password)
        } catch let failure as RemoteError {
            throw failure
        } catch {
            throw SetUpFault.remote(.unasked, (error as? CommandError)?.message ?? "\(error)")
        }
    }

    private func givenCredentials(_ request: SetUpCredentialsCall) throws(RemoteError) -> SetUpCredentialsCall.Reply {
        guard let given = given.withLock({ $0.take() }) else {
            throw SetUpFault.remote(.unasked, "the password of --password-file was refused")
        }
        guard let user = request.user ?? given.user else {
            throw SetUpFault.remote(.unasked, "--password-file needs the user's name; give user=")
        }
        return SetUpCredentialsCall.Reply(user: user, password: given.password)
    }
}

/// Links that are opened in the user's browser.
enum BrowserLink {
    /// Opens a link of a provider if there is a display. Only links to web pages are opened, because a provider is not
    /// trusted. Failures are ignored, because the link is printed as well.
    static func open(_ link: String) {
        let environment = ProcessInfo.processInfo.environment
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
        guard hasDisplay, isOfWeb(link), let program = program(environment["PATH"] ?? "") else { return }
        guard let null = try? FileDescriptor.open("/dev/null", .readWrite),
            let child = try? ChildProgram.start(
                program, arguments: [link], descriptors: [null, null, null], workingFolder: "/", newSession: true)
        else { return }
        HandlerThreads.shared.run { _ = try? child.wait() }
    }

    private static func isOfWeb(_ link: String) -> Bool {
        guard let scheme = URLComponents(string: link)?.scheme?.lowercased() else { return false }
        return scheme == "https" || scheme == "http"
    }

    private static func program(_ path: String) -> String? {
        path.split(separator: ":").map { $0 + "/xdg-open" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }
}
