import LinuxSystem

let manual = ProgramManual(
    name: "purvey-keeper",
    help: """
        usage: purvey-keeper [--help] [--version]

        Starts purveyd again when it has died, and keeps its mounts until then, so that programs wait instead of getting errors.

        It is nothing to be started by hand: purveyd starts it, for as long as it has domains, with a socket as descriptor 3.

        """)
