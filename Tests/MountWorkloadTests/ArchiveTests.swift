import TestThreads
import Testing

/// Tests of whole trees that are copied into a mount and out of it.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct ArchiveTests {
    /// Makes a tree with deep directories, empty ones, empty files, links, dates and modes.
    private func makeTree(_ place: MountFixture) throws {
        try place.shell(
            """
            mkdir -p tree/deep/er/and/deeper tree/empty
            for number in $(seq 40); do head -c "$((number * 777))" /dev/urandom > "tree/deep/file $number"; done
            : > tree/nothing
            head -c 3000000 /dev/urandom > tree/deep/er/large
            cp tree/deep/er/large tree/deep/er/and/deeper/täxt.bin
            printf '#!/bin/sh\\necho runs\\n' > tree/run.sh
            chmod 755 tree/run.sh
            chmod 600 "tree/deep/file 1"
            ln -s deep/er/large tree/link
            ln -s /nowhere/at/all tree/broken
            find tree -depth -print0 | while IFS= read -r -d '' path; do
                touch -h -d "2001-02-03 04:05:$((RANDOM % 60)).250" "$path"
            done
            """)
    }

    @Test func anArchiveIsUnpackedAndPackedAgain() throws {
        try MountFixture.run { place in
            try makeTree(place)
            try place.shell(
                """
                tar -cf tree.tar tree
                tar -C "$M" -xf tree.tar
                tar -C "$M" --compare -f tree.tar
                diff -r --no-dereference tree "$M/tree"
                tar -C "$M" -cf back.tar tree
                mkdir back
                tar -C back -xf back.tar
                diff -r --no-dereference tree back/tree
                """)
            try place.expectThatTheProviderHasAll()
            // The attributes that tar has set stay, regardless of the attributes that the provider stores.
            try place.shell(#"tar -C "$M" --compare -f tree.tar"#)
            try place.endDaemon()
            try place.startDaemon()
            try place.shell(#"tar -C "$M" --compare -f tree.tar"#)
        }
    }

    @Test func aTreeIsSynchronisedAndThenThereIsNothingToDo() throws {
        try MountFixture.run { place in
            try makeTree(place)
            func synchronise(_ options: String = "") throws -> String {
                try place.shell("rsync -a --itemize-changes \(options) tree/ \"$M/tree/\"")
            }
            #expect(try !synchronise().isEmpty)
            #expect(try synchronise() == "")
            #expect(try synchronise("--checksum") == "")
            try place.expectThatTheProviderHasAll()
            #expect(try synchronise() == "")
            try place.endDaemon()
            try place.startDaemon()
            #expect(try synchronise() == "")

            try place.shell(
                """
                rm -r tree/deep/er/and "tree/deep/file 2"
                echo more >> "tree/deep/file 3"
                chmod 644 "tree/deep/file 1"
                mkdir tree/new
                mv "tree/deep/file 4" tree/new/
                echo new > tree/new/file
                """)
            let done = try synchronise("--delete").split(separator: "\n").map(String.init)
            #expect(done.count { $0.hasPrefix("*deleting") } == 5, "\(done)")
            #expect(done.contains { $0.hasPrefix(">f+++++++++ new/file") }, "\(done)")
            #expect(try synchronise("--delete") == "")
            try place.shell(#"diff -r --no-dereference tree "$M/tree""#)
            try place.expectThatTheProviderHasAll()
            #expect(try synchronise("--delete") == "")
        }
    }
}
