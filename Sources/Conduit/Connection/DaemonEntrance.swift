/// The way into this user's daemon, on its way through a C function to a module that cannot import the one which knows it.
package final class DaemonEntrance: Sendable {
    /// Makes a connection of its own, for those who serve the daemon something or hear from it. Starts the daemon if there is
    /// none. Blocks meanwhile.
    package let connect: @Sendable (Service) throws -> Connection
    /// The same with a daemon that runs; `nil` where there is none.
    package let join: @Sendable (Service) throws -> Connection?

    /// Makes sure that the daemon uses the folders that this process does. Blocks until it has answered.
    ///
    /// For callers that ask for what is kept. Turns at files are the same for all processes of a user, whatever their
    /// home folder is.
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
