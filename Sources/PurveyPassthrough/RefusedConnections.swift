import Glibc
import LinuxSystem

/// Closes refused connections that contain descriptors, on at most one thread per user.
struct RefusedConnections {
    private static let closer = DescriptorCloser()
    private var lanes: [uid_t: DescriptorCloseQueue] = [:]

    /// Returns the lane that closes a user's connections.
    mutating func lane(of user: uid_t) -> DescriptorCloseQueue {
        if let lane = lanes[user] { return lane }
        // Idle lanes can be dropped, as a new one is equal to them.
        if lanes.count >= 256 { lanes = lanes.filter { $0.value.count > 0 } }
        let lane = DescriptorCloseQueue(Self.closer)
        lanes[user] = lane
        return lane
    }
}
