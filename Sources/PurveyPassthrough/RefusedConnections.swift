import Glibc
import LinuxSystem

/// Closes refused connections that descriptors wait in, on a thread for each user at most.
struct RefusedConnections {
    private static let closer = DescriptorCloser()
    private var lanes: [uid_t: ClosingLane] = [:]

    /// The lane that closes a user's connections.
    mutating func lane(of user: uid_t) -> ClosingLane {
        if let lane = lanes[user] { return lane }
        // Lanes that have closed everything are made anew when they are needed.
        if lanes.count >= 256 { lanes = lanes.filter { $0.value.count > 0 } }
        let lane = ClosingLane(Self.closer)
        lanes[user] = lane
        return lane
    }
}
