import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of a daemon whose user may not mount.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted && MountFixture.canBeAnother), .timeLimit(.minutes(20)))
struct UnprivilegedMountTests {
    @Test func aDomainIsMountedUsedAndUnmounted() throws {
        try MountFixture.run(as: MountFixture.another) { place in
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
            // The mount of a killed daemon is unmounted, too.
            try place.endDaemon(by: SIGKILL)
            try place.startDaemon()
            try place.shell(#"cmp "$M/inner/numbers" "$C/inner/numbers""#)
            try place.shell(#"purvey domains remove Work; ! grep -q "$M" /proc/mounts; test ! -e "$M""#)
        }
    }

    // MARK: Passthrough

    /// Reads an open file while the daemon is stopped.
    ///
    /// - Parameter seconds: The timeout of the read.
    private func readWithoutTheDaemon(
        _ place: MountFixture, seconds: Int
    ) throws -> MountFixture.Outcome {
        let daemon = try place.daemon()
        return try place.run(
            """
            exec 3< "$M/numbers"
            trap 'kill -CONT \(daemon)' EXIT
            kill -STOP \(daemon)
            timeout \(seconds) cat <&3 > "$S/read"
            cmp "$S/read" "$C/numbers"
            """)
    }

    @Test func withAHelperOfRootsTheKernelReadsCompleteFilesByItself() throws {
        try MountFixture.run(as: MountFixture.another, with: .passthrough) { place in
            try makeNumbers(place, 100_000)
            let outcome = try readWithoutTheDaemon(place, seconds: 300)
            #expect(outcome.ending == .exited(0), "\(outcome.output)")
            try place.shell(#"echo 100001 >> "$M/numbers""#)
            try place.expectThatTheProviderHasAll()
            try place.shell(#"test "$(tail -n 1 "$C/numbers")" = 100001"#)
            // Without the helper the daemon serves reads, and so does the next one.
            place.endHelper()
            try place.shell(#"cmp "$M/numbers" "$C/numbers""#)
            try place.endDaemon()
            try place.startDaemon()
            #expect(try readWithoutTheDaemon(place, seconds: 1).ending == .exited(124))
            try place.shell(#"cmp "$M/numbers" "$C/numbers""#)
        }
    }

    /// Makes a file at the provider, and fetches its contents.
    private func makeNumbers(_ place: MountFixture, _ count: Int) throws {
        try place.shell(
            """
            seq \(count) > "$C/numbers"
            purvey signal Work
            for look in $(seq 600); do test -e "$M/numbers" && break; sleep 0.1; done
            purvey download "$M/numbers"
            """)
    }

    // MARK: Daemons that die

    @Test(
        .enabled(if: Kernel.handsOver), arguments: [.keeper, [.keeper, .passthrough]] as [MountFixture.Surroundings])
    func theNextDaemonGoesOnWithAMountOfFusermount3(with surroundings: MountFixture.Surroundings) throws {
        try MountFixture.run(as: MountFixture.another, with: surroundings) { place in
            try makeNumbers(place, 1_000_000)
            try place.shell(#"echo small > "$C/small"; purvey signal Work"#)
            place.waitForKeeper()
            let old = try place.daemon()
            let device = try place.shell(#"stat -c %d "$M""#)
            try place.shell(
                """
                for look in $(seq 600); do test -e "$M/small" && break; sleep 0.1; done
                exec 3< "$M/numbers"
                exec 4>> "$M/log"
                read -r line <&3
                test "$line" = 1
                echo one >&4
                cd "$M"
                kill -KILL \(old)
                test "$(cat small)" = small
                echo two >&4
                (echo 1; cat <&3) | cmp - "$C/numbers"
                exec 4>&-
                test "$(cat log)" = "$(printf 'one\\ntwo')"
                """)
            #expect(try place.daemon() != old)
            #expect(try place.shell(#"grep -c "$M" /proc/mounts; stat -c %d "$M""#) == "1\n" + device)
            try place.expectThatTheProviderHasAll()
            try place.shell(#"purvey domains remove Work; test ! -e "$M"; ! grep -q "$M" /proc/mounts"#)
        }
    }

    @Test(.enabled(if: Kernel.handsOver)) func aMountOfFusermount3ThatIsGivenUpIsUnmounted() throws {
        try MountFixture.run(as: MountFixture.another, with: .keeper) { place in
            try makeNumbers(place, 1_000_000)
            place.waitForKeeper()
            let old = try place.daemon()
            // The daemon that the keeper starts dies at once, again and again.
            try place.withDaemonsProgram("/bin/false") {
                try place.shell(
                    """
                    exec 3< "$M/numbers"
                    read -r line <&3
                    kill -KILL \(old)
                    ending=0
                    timeout 600 cat <&3 > "$S/rest" || ending=$?
                    test $ending = 1
                    for look in $(seq 6000); do ls -d "$M" 2>&1 | grep -q "No such file" && break; sleep 0.1; done
                    ls -d "$M" 2>&1 | grep -q "No such file"
                    if grep -q "$M" /proc/mounts; then exit 9; fi
                    """)
            }
            try place.startDaemon()
            try place.shell(#"cmp "$M/numbers" "$C/numbers"; test "$(grep -c "$M" /proc/mounts)" = 1"#)
            try place.shell(#"purvey domains remove Work; test ! -e "$M"; ! grep -q "$M" /proc/mounts"#)
        }
    }
}
