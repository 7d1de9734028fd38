import Keeping

/// What has the mounts of a daemon that died until the next one goes on with them. Any thread may call; what blocks says so.
protocol MountKeeper: Sendable {
    /// This daemon lives, and will claim what there is. Does not wait.
    func introduce()
    /// The mounts of a daemon that has died. Blocks; called when the domains are this process's, and before ``want(_:)``.
    func claimMounts() -> [KeptMount]
    /// This daemon serves no domains, or mounts none.
    func withdraw()
    /// A mount is there, or still there: it is kept from now on.
    func hold(_ mount: KeptMount)
    /// A mount is over.
    func drop(_ identifier: String)
    /// Whether there is a domain.
    func want(_ isWanted: Bool)
    /// The daemon ends by its own will.
    func end()
}
