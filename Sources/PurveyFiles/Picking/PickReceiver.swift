import Conduit
import DocumentPicker
import FileBrowser
import FileProvider
import FileProviderGTK
import Glibc
import LinuxSystem

/// The connection to the program that requested the picker: a socket, or standard output, to which paths are printed as
/// lines.
@MainActor final class PickReceiver {
    private let connection: Connection?
    private let separator: String

    /// Called when the program has ended.
    var whenGone: () -> Void = {}
    /// Called with the path of an item, when the program requests that the picker shows the item.
    var whenRevealed: (String) -> Void = { _ in }

    /// - Throws: the system's error if the program has passed no socket.
    init(_ request: PickerRequest) throws(Errno) {
        separator = request.endsWithNull ? "\0" : "\n"
        guard request.isHandedOver else {
            connection = nil
            return
        }
        let link = Link()
        var service = Service()
        service.on(RevealCall.self) { request, call in
            Task { @MainActor in link.receiver?.whenRevealed(request.path) }
            call.reply()
        }
        let socket = try SequencedPacketSocket(checking: FileDescriptor(owning: PickerRequest.handOverDescriptor))
        // Programs that the user opens from the window must not inherit the socket.
        try retrying { fcntl(PickerRequest.handOverDescriptor, F_SETFD, FD_CLOEXEC) }
        let connection = try Connection(socket, service: service)
        self.connection = connection
        link.receiver = self
        connection.onClose { _ in
            Task { @MainActor in link.receiver?.whenGone() }
        }
    }

    /// A weak reference to the receiver, for the handlers of the receiver's connection. The handlers are created before
    /// the receiver.
    @MainActor private final class Link: Sendable {
        weak var receiver: PickReceiver?

        nonisolated init() {}
    }

    /// Sends the picked items to the program.
    func send(_ pick: Pick) async throws(BrowserError) {
        guard let connection else { return try printPaths(pick.paths) }
        let items = try await HandlerThreads.shared.value { () throws(BrowserError) in
            do {
                return switch pick {
                case .items(let paths): try paths.map { try PickedItem(path: $0) }
                case .newFile(let folder, let name): [try PickedItem(path: folder, newName: name)]
                }
            } catch {
                throw BrowserError("This cannot be picked: \(error.localizedDescription)", remedy: .reload)
            }
        }
        _ = try await call(connection, PickCall(items: items))
    }

    /// Asks the program whether it accepts the name of a new file. Returns the name to use, or `nil` if the program
    /// refuses the name.
    func acceptedName(_ name: String) async throws(BrowserError) -> String? {
        guard let connection else { return name }
        return try await call(connection, NewNameCall(name: name)).name
    }

    /// Reports to the program that the user picked nothing.
    func sendDismissal() async {
        if let connection { _ = try? await call(connection, DismissCall()) }
    }

    /// Asks the program for a new document in a folder. Returns the document's name, or `nil` if the program creates
    /// none.
    func requestDocument(in folder: String) async throws(BrowserError) -> String? {
        guard let connection else { return nil }
        let item = try await HandlerThreads.shared.value { () throws(BrowserError) in
            do {
                return try PickedItem(path: folder)
            } catch {
                throw BrowserError("No document can be made here: \(error.localizedDescription)")
            }
        }
        return try await call(connection, NewDocumentCall(folder: item)).name
    }

    private func call<C: Call>(_ connection: Connection, _ request: C) async throws(BrowserError) -> C.Reply {
        do throws(ConduitError) {
            return try await connection.call(request)
        } catch {
            if case .remote(let failure) = error, failure.domain == PickFailure.domain,
                failure.code == PickFailure.refused.rawValue
            {
                throw BrowserError(failure.message)
            }
            throw BrowserError("The program did not take it: \(error)")
        }
    }

    private func printPaths(_ paths: [String]) throws(BrowserError) {
        var bytes = paths.flatMap { Array(($0 + separator).utf8) }[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BrowserError("The program that asked does not read any more") }
            bytes = bytes.dropFirst(count)
        }
    }
}
