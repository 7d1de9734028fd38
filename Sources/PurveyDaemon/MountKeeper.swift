import MountTakeover

/// The process that keeps the mounts of a dead daemon until the next daemon takes over. Functions may be called on any
/// thread. Functions marked as blocking may wait for seconds, if that process does not read its messages.
protocol MountKeeper: Sendable {
    /// Announces this daemon, which will claim the mounts. Blocks.
    func introduce()
    /// Takes over the mounts of a dead daemon. Blocks. Called when this process has locked the domains, and before
    /// ``want(_:)``.
    func claimMounts() -> [KeptMount]
    /// Gives up the mounts, because this daemon serves no domains, or does not mount them. Blocks.
    func withdraw()
    /// Passes a mount to the keeper, or updates it. Blocks.
    func hold(_ mount: KeptMount)
    /// Notifies the keeper that a mount has ended. Blocks.
    func drop(_ identifier: String)
    /// Sets whether a domain exists. Does not block.
    func want(_ isWanted: Bool)
    /// Ends the keeper's work, because the daemon ends intentionally. Blocks.
    func end()
}
