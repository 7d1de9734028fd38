import Glibc
import TestThreads
import Testing

/// A daemon of a user who may not mount by himself, and has no `purvey-passthrough`.
@Suite(.ownThreads, .enabled(if: MountPlace.isWanted && MountPlace.canBeAnother), .timeLimit(.minutes(20)))
struct UnprivilegedMountTests {
    @Test func aDomainIsMountedUsedAndUnmounted() throws {
        try MountPlace.run(as: MountPlace.another) { place in
            try place.shell(#"mkdir "$C/inner"; seq 100000 > "$C/inner/numbers"; purvey signal Work"#)
            try place.shell(
                """
                for look in $(seq 600); do test -e "$M/inner/numbers" && break; sleep 0.1; done
                test "$(ls "$M")" = inner
                test "$(purvey stat --json "$M/inner/numbers" | grep -c dataless)" = 1
                cmp "$M/inner/numbers" "$C/inner/numbers"
                test "$(stat -c %u "$M/inner/numbers")" = "$(id -u)"
                echo new > "$M/inner/new"
                echo 100001 >> "$M/inner/numbers"
                mkdir "$M/made"
                mv "$M/inner/new" "$M/made/moved"
                """)
            try place.expectThatTheProviderHasAll()
            try place.shell(#"test "$(cat "$C/made/moved")" = new; test "$(tail -n 1 "$C/inner/numbers")" = 100001"#)
            // The daemon unmounts when it ends, and mounts when it starts.
            try place.endDaemon()
            try place.shell(#"! grep -q "$M" /proc/mounts"#)
            try place.startDaemon()
            try place.shell(#"cmp "$M/inner/numbers" "$C/inner/numbers""#)
            // What a daemon left that was killed is unmounted too.
            try place.endDaemon(by: SIGKILL)
            try place.startDaemon()
            try place.shell(#"cmp "$M/inner/numbers" "$C/inner/numbers""#)
            try place.shell(#"purvey domains remove Work; ! grep -q "$M" /proc/mounts; test ! -e "$M""#)
        }
    }
}
