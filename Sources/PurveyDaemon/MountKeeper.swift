import Keeping

/// What has the mounts of a daemon that died until the next one goes on with them. Any thread may call; what blocks says so, and waits for
/// seconds where it is not listened to.
protocol MountKeeper: Sendable {
    /// This daemon lives, and will claim what there is. Blocks.
    func introduce()
    /// The mounts of a daemon that has died. Blocks; called when the domains are this process's, and before ``want(_:)``.
    func claimMounts() -> [KeptMount]
    /// This daemon serves no domains, or mounts none. Blocks.
    func withdraw()
    /// A mount is there, or still there: it is kept from now on. Blocks.
    func hold(_ mount: KeptMount)
    /// A mount is over. Blocks.
    func drop(_ identifier: String)
    /// Whether there is a domain. Does not wait.
    func want(_ isWanted: Bool)
    /// The daemon ends by its own will. Blocks.
    func end()
}
