import FileTesting
import Foundation
import ProgramTesting
import Testing

/// Tests of Scripts/install-packages on a terminal, with replacements for the programs that it starts.
@Suite(.timeLimit(.minutes(20))) struct PackageInstallationTests {
    /// The shell commands that create the replacements. `sudo` asks for a password on the terminal, and remembers the
    /// password if the file `remembers` exists.
    private static let replacements = """
        mkdir tools
        cat >tools/sudo <<'END'
        #!/bin/sh
        if [ ! -e ticket ]; then
            [ "$1" != -n ] || exit 1
            printf '[sudo] password: ' >/dev/tty
            read -r word </dev/tty
            [ "$word" = secret ] || exit 1
            [ ! -e remembers ] || echo >ticket
        fi
        case $1 in
        -v) exit 0 ;;
        -n) shift ;;
        esac
        exec "$@"
        END
        printf '#!/bin/sh\\necho "$*" >>calls\\n' >tools/apt-get
        printf '#!/bin/sh\\nexit 1\\n' >tools/dpkg-query
        printf '#!/bin/sh\\necho 1000\\n' >tools/id
        chmod a+rx tools/*

        """

    /// Runs the script as a user who is not root, and enters the given passwords one after the other.
    ///
    /// - Returns: The text after the last password, and the arguments of each call of apt-get.
    private func install(remembering isRemembered: Bool, passwords: [String]) async throws -> (String, [String]) {
        let folder = try TestFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = folder.path + "/tools:/usr/bin:/bin"
        // A step that reads from the terminal in the background is stopped until this time limit.
        environment["STEP_TIMEOUT"] = "300"
        let terminal = try Terminal(environment: environment, in: folder.path, files: folder.path + "/shell")
        do {
            try await terminal.begin()
            try terminal.type(Self.replacements)
            if isRemembered { try terminal.type("echo >remembers\n") }
            try terminal.type("'\(Repository.path("Scripts/install-packages"))' run || echo \"ended with $?\"\n")
            for password in passwords {
                try await terminal.shows("[sudo] password: ")
                try terminal.type(password + "\n")
            }
            let shown = try await terminal.finish()
            await terminal.close()
            let calls = (try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8)) ?? ""
            return (shown, calls.split(separator: "\n").map(String.init))
        } catch {
            await terminal.close()
            throw error
        }
    }

    @Test func sudoAsksForThePasswordBeforeAQuietStep() async throws {
        let (shown, calls) = try await install(remembering: true, passwords: ["secret"])
        #expect(shown.contains("ok: Debian packages ("), "\(shown)")
        #expect(calls.count == 2 && calls[0].hasPrefix("install --simulate "), "\(calls)")
        #expect(calls.last?.contains(" install --yes --no-install-recommends binutils ") == true, "\(calls)")
    }

    @Test func aPasswordThatIsNotRememberedIsReadInTheForeground() async throws {
        let (shown, calls) = try await install(remembering: false, passwords: ["secret", "secret"])
        #expect(!shown.contains("Debian packages") && calls.count == 2, "\(shown) \(calls)")
    }

    @Test func aWrongPasswordEndsTheInstallationAtOnce() async throws {
        let (shown, calls) = try await install(remembering: true, passwords: ["wrong"])
        #expect(shown.contains("install-packages: sudo refuses; as root, run: apt-get install binutils "), "\(shown)")
        #expect(shown.contains("ended with 1") && calls.isEmpty, "\(shown) \(calls)")
    }
}
