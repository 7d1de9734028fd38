import ProgramTesting
import Testing

/// Tests of the help of `purvey`, and of its messages about unknown words.
@Suite(.timeLimit(.minutes(10))) struct HelpCommandTests {
    private func purvey(_ arguments: [String]) async throws -> ProgramRun {
        // Help needs no daemon, and with this home directory none could start.
        try await RunningProgram(
            BuiltProgram.path("purvey"), arguments, environment: ["PURVEY_HOME": "/proc/purvey"]
        ).end()
    }

    @Test func helpExplainsACommandAsTheCommandDoes() async throws {
        let all = try await purvey(["--help"])
        #expect(all.text.contains("\n  help ") && all.text.contains("purvey --version"))
        for words in [["help"], ["-h"]] { #expect(try await purvey(words).text == all.text) }
        let domains = try await purvey(["domains", "--help"])
        #expect(domains.status == 0 && domains.text.hasPrefix("usage: purvey domains "))
        for words in [["help", "domains"], ["--help", "domains"], ["domains", "-h"]] {
            let run = try await purvey(words)
            #expect(run.status == 0 && run.errors.isEmpty && run.text == domains.text, "\(run)")
        }
        for words in [["help", "domains", "add"], ["--help", "domains", "remove"]] {
            let run = try await purvey(words)
            #expect(run.status == 0 && run.errors.isEmpty && run.text == domains.text, "\(run)")
        }
        #expect(try await purvey(["help", "--help"]).text.hasPrefix("usage: purvey help [COMMAND]\n"))
    }

    @Test(arguments: [
        (["statsu"], "there is no command 'statsu' (did you mean 'status'?); see 'purvey --help'"),
        (["LIST"], "there is no command 'LIST' (did you mean 'list'?); see 'purvey --help'"),
        (["extens"], "there is no command 'extens' (did you mean 'extensions'?); see 'purvey --help'"),
        (["frobnicate"], "there is no command 'frobnicate'; see 'purvey --help'"),
        (["help", "domians"], "there is no command 'domians' (did you mean 'domains'?); see 'purvey --help'"),
        (["help", "list", "x"], "unexpected argument 'x'; see 'purvey --help'"),
        (["help", "domains", "ad"], "unexpected argument 'ad'; see 'purvey --help'"),
        (["help", "domains", "add", "x"], "unexpected argument 'x'; see 'purvey --help'"),
        (["--version", "x"], "unexpected argument 'x'; see 'purvey --help'"),
        (["-help"], "unknown option '-help' (did you mean '--help'?); see 'purvey --help'"),
        (["--json", "list"], "unknown option '--json'; see 'purvey --help'"),
        (["--help=1"], "option '--help' takes no value; see 'purvey --help'"),
        (["list", "--help=1"], "list: option '--help' takes no value; see 'purvey list --help'"),
        (["list", "--jsno"], "list: unknown option '--jsno' (did you mean '--json'?); see 'purvey list --help'"),
        (
            ["offer", "-visibility=all"],
            "offer: unknown option '-visibility' (did you mean '--visibility'?); see 'purvey offer --help'"
        ),
        (
            ["offer", "--visibility", "grp", "/etc/passwd"],
            "offer: --visibility cannot be 'grp': all, team, group or process; see 'purvey offer --help'"
        ),
        (
            ["load", "--as", "in-palce", "-o", "x"],
            "load: --as cannot be 'in-palce' (did you mean 'in-place'?); see 'purvey load --help'"
        ),
        (["load", "--json", "-o", "-"], "load: --json cannot be used with -o -; see 'purvey load --help'"),
        (
            ["load", "--as", "copy", "-o", "-"], "load: --as copy cannot be used with -o -; see 'purvey load --help'"
        ),
        (["share", "/etc/passwd"], "share: --with EXTENSION or --list is missing; see 'purvey share --help'"),
        (
            ["share", "/etc/passwd", "--list", "--with", "x"],
            "share: --list cannot be used with --with; see 'purvey share --help'"
        ),
        (["version"], "there is no command 'version' (did you mean '--version'?); see 'purvey --help'"),
        (
            ["keyring", "unlok"],
            "keyring: there is no 'keyring unlok' (did you mean 'unlock'?); see 'purvey keyring --help'"
        ),
        (["keyring", "x"], "keyring: there is no 'keyring x': unlock or reset; see 'purvey keyring --help'"),
        (
            ["alerts", "Cloud", "supress"],
            "alerts: there is no 'alerts DOMAIN supress' (did you mean 'suppress'?); see 'purvey alerts --help'"
        ),
        (
            ["alerts", "Cloud", "x", "y"],
            "alerts: there is no 'alerts DOMAIN x': suppress or show; see 'purvey alerts --help'"
        ),
        (["domains", "ad"], "domains: there is no 'domains ad' (did you mean 'add'?); see 'purvey domains --help'"),
        (["domains", "x"], "domains: there is no 'domains x': add, set or remove; see 'purvey domains --help'"),
        (
            ["extensions", "instal", "x"],
            "extensions: there is no 'extensions instal' (did you mean 'install'?); see 'purvey extensions --help'"
        ),
        (
            ["favorites", "ad"],
            "favorites: there is no 'favorites ad' (did you mean 'add'?); see 'purvey favorites --help'"
        ),
        (
            ["bundles", "regster", "x"],
            "bundles: there is no 'bundles regster' (did you mean 'register'?); see 'purvey bundles --help'"
        ),
    ])
    func aWordThatIsNotKnownIsRefusedWithTheOneThatWasMeant(_ words: [String], _ complaint: String) async throws {
        let run = try await purvey(words)
        #expect(run.status == 2 && run.output.isEmpty && run.errors == "purvey: \(complaint)\n", "\(run)")
    }

    @Test func namesThatOnlyTheDaemonKnowsHaveASuggestionToo() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let provider = try await place.purvey(
                "domains", "add", "org.purvey.LocalFoler", "Papers", "path=" + cloud.cloud)
            #expect(
                provider.errors.contains(
                    "no extension \"org.purvey.LocalFoler\" is installed (did you mean 'org.purvey.LocalFolder'?)"),
                "\(provider)")
            for (command, kind, state) in [
                ("extensions", "extension", "installed"), ("bundles", "bundle", "registered"),
            ] {
                let removal = try await place.purvey(command, "remove", "org.purvey.LocalFoler")
                #expect(
                    removal.errors.hasSuffix(
                        "no \(kind) \"org.purvey.LocalFoler\" is \(state) (did you mean 'org.purvey.LocalFolder'?)\n"),
                    "\(removal)")
            }
            for (value, ending) in [("wiat", "(did you mean 'wait'?)"), ("x", "wait or use")] {
                let setting = try await place.purvey(
                    "domains", "add", "local", "Papers", "path=" + cloud.cloud, "metered=" + value)
                #expect(setting.errors.contains("metered cannot be \"\(value)\""), "\(setting)")
                #expect(setting.errors.hasSuffix(ending + "\n"), "\(setting)")
            }
            try await cloud.add()
            let action = try await place.purvey("actions", "Papers:a.txt", "Duplciate")
            #expect(
                action.errors.contains(
                    "the action Duplciate is none of the provider's (did you mean 'Duplicate'?); 'purvey actions' "),
                "\(action)")
            let domain = try await place.purvey("retry", "Paprs")
            #expect(
                domain.errors
                    == "purvey: retry: there is no domain \"Paprs\" (did you mean 'Papers'?); 'purvey domains' lists them\n"
            )
            try await cloud.end()
        }
    }
}
