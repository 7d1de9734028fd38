/// A way to connect to this user's daemon. It is passed through a C function to modules that cannot import the module
/// that implements it.
package final class DaemonConnector: Sendable {
    /// Creates a separate connection, for clients that serve calls of the daemon or receive its notices. Starts the
    /// daemon if none runs. Blocks until the connection exists.
    package let connect: @Sendable (Service) throws -> Connection
    /// Creates a separate connection to a running daemon, or returns `nil` if none runs.
    package let join: @Sendable (Service) throws -> Connection?

    /// Checks that the daemon uses the same directories as this process. Blocks until the daemon has replied.
    ///
    /// This is for callers that request stored data. File coordination needs no check, because it is the same for all
    /// processes of a user, whatever their home directory is.
    package let check: @Sendable (Connection) throws -> Void

    package init(
        connect: @escaping @Sendable (Service) throws -> Connection,
        join: @escaping @Sendable (Service) throws -> Connection?,
        check: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
        self.connect = connect
        self.join = join
        self.check = check
    }
}
