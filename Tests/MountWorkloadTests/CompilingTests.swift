import TestThreads
import Testing

/// Tests of a project that is built in a mount.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct CompilingTests {
    @Test func aProgramIsBuiltRunAndBuiltAgain() throws {
        try MountFixture.run { place in try build(in: place) }
    }

    private func build(in place: MountFixture) throws {
        try place.shell(
            """
            mkdir "$M/project"
            cd "$M/project"
            echo 'int add(int number);' > add.h
            for number in $(seq 12); do
                echo "int part$number(void) { return $number; }" > "part$number.c"
            done
            (
                echo '#include <stdio.h>'
                echo '#include "add.h"'
                for number in $(seq 12); do echo "int part$number(void);"; done
                echo 'int add(int number) { static int sum; return sum += number; }'
                echo 'int main(void) {'
                for number in $(seq 12); do echo "    add(part$number());"; done
                echo '    printf("%d\\n", add(0)); return 0; }'
            ) > main.c
            (
                echo 'OBJECTS = main.o $(patsubst %,part%.o,1 2 3 4 5 6 7 8 9 10 11 12)'
                echo 'program: $(OBJECTS)'
                printf '\\t$(CC) -o $@ $(OBJECTS)\\n'
                echo 'main.o: add.h'
                echo 'libparts.a: $(OBJECTS)'
                printf '\\tar rcs $@ $(OBJECTS)\\n'
            ) > Makefile
            make -j4 CC=gcc program libparts.a
            test "$(./program)" = 78
            make -q CC=gcc program
            """)
        let built = try dates(in: place)
        try place.expectThatTheProviderHasAll()
        // Sending has changed no date.
        #expect(try dates(in: place) == built)
        try place.shell(
            """
            cd "$M/project"
            make -q CC=gcc program libparts.a || { ls -l --full-time; make -n --debug=b CC=gcc program libparts.a; exit 1; }
            touch add.h
            made=$(make -j4 CC=gcc program)
            test "$(echo "$made" | wc -l)" = 2 || { ls -l --full-time; echo "$made"; exit 1; }
            test "$(./program)" = 78
            """)
        let rebuilt = try dates(in: place)
        try place.endDaemon()
        try place.startDaemon()
        #expect(try dates(in: place) == rebuilt)
        try place.shell(
            """
            cd "$M/project"
            make -q CC=gcc program
            test "$(./program)" = 78
            make CC=gcc libparts.a
            rm -f *.o
            """)
        try place.expectThatTheProviderHasAll()
        try place.shell(#"test "$("$C/project/program")" = 78"#)
    }

    /// Returns the modification date of each file.
    private func dates(in place: MountFixture) throws -> String {
        try place.shell(#"cd "$M/project"; stat -c '%n %y' *"#)
    }
}
