import FileTesting
import Foundation
import TestThreads
import Testing

/// Tests that compare random changes of names in a mount with their results on an ordinary file system, while the
/// provider is notified of them.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(60))) struct RandomTreeTests {
    /// The number of steps for each tree, set by `PURVEY_TREE_STEPS`, and the first seed, set by `PURVEY_TREE_SEED`.
    private static let steps = setting("PURVEY_TREE_STEPS") ?? 150
    private static let seed = setting("PURVEY_TREE_SEED") ?? 1

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(arguments: MountFixture.Server.allCases)
    func aTreeIsAtEveryMomentWhatWasMadeOfIt(_ server: MountFixture.Server) throws {
        try MountFixture.run(servedBy: server) { place in
            // Several trees change at a time, so that the provider cannot finish between two steps of one.
            try place.shell(
                """
                check() {
                    mkdir "$M/$1" "$S/model $1"
                    FileCheckPeer tree "$M/$1" "$S/model $1" "$1" \(Self.steps)
                }
                processes=()
                for seed in $(seq \(Self.seed) \(Self.seed + 2)); do
                    check "$seed" &
                    processes+=($!)
                done
                failed=no
                for process in "${processes[@]}"; do wait "$process" || failed=yes; done
                test $failed = no
                """)
            try place.expectThatTheProviderHasAll()
        }
    }
}
