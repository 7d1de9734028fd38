import TestThreads
import Testing

/// Tests of Git in a mount.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct VersionControlTests {
    @Test func aRepositoryIsClonedCommittedToAndPacked() throws {
        try MountFixture.run { place in
            try work(in: place)
        }
    }

    private func work(in place: MountFixture) throws {
        try place.shell(
            """
            git init -q -b main source
            cd source
            for number in $(seq 40); do
                mkdir -p "part$((number % 5))/inner"
                seq "$number" "$((number * 50))" > "part$((number % 5))/inner/file $number.txt"
            done
            printf '#!/bin/sh\\necho runs\\n' > run.sh
            chmod +x run.sh
            ln -s "part1/inner/file 1.txt" link
            git add .
            git commit -q -m first
            seq 1000 > part1/more.txt
            git add .
            git commit -q -m second
            """)
        try place.shell(
            """
            git clone -q "$S/source" "$M/clone"
            cd "$M/clone"
            git fsck --strict --full
            test -z "$(git status --porcelain)"
            test "$(./run.sh)" = runs
            """)
        try place.shell(
            """
            # What fails here says nothing by itself.
            set -x
            cd "$M/clone"
            echo changed >> "part2/inner/file 2.txt"
            git mv part1/more.txt moved.txt
            git rm -q "part3/inner/file 3.txt"
            test "$(git status --porcelain | wc -l)" = 3
            git commit -q -a -m third
            test -z "$(git status --porcelain)"
            git switch -q -c other HEAD~2
            test ! -e moved.txt
            git switch -q main
            test -e moved.txt
            git stash list
            git gc -q
            git fsck --strict --full
            test -z "$(git status --porcelain)"
            git clone -q "$M/clone" "$S/back"
            test "$(git -C "$S/back" rev-parse HEAD)" = "$(git rev-parse HEAD)"
            """)
        try place.expectThatTheProviderHasAll()
        try place.shell(
            """
            git -C "$C/clone" fsck --strict --full
            test "$(git -C "$C/clone" log --oneline | wc -l)" = 3
            test -z "$(git -C "$C/clone" status --porcelain)"
            """)
    }
}
