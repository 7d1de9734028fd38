import MountTakeover

/// The holder of a dead daemon's mounts until the next daemon takes over. Functions may be called on any thread.
/// Functions marked as blocking wait for seconds if the holder does not read.
protocol MountKeeper: Sendable {
    /// Announces this daemon, which will claim the mounts. Blocks.
    func introduce()
    /// Takes over the mounts of a dead daemon. Blocks. Called when this process has locked the domains, and before
    /// ``want(_:)``.
    func claimMounts() -> [KeptMount]
    /// Gives up the mounts, because this daemon serves no domains or mounts none. Blocks.
    func withdraw()
    /// Holds a mount from now on, or updates it. Blocks.
    func hold(_ mount: KeptMount)
    /// Releases a mount that has ended. Blocks.
    func drop(_ identifier: String)
    /// Sets whether there is a domain. Does not wait.
    func want(_ isWanted: Bool)
    /// Ends the holder's work with the daemon, which ends intentionally. Blocks.
    func end()
}
