import LinuxSystem

let manual = ProgramManual(
    name: "purvey-bus",
    help: """
        usage: purvey-bus [--help] [--version]

        Shows the domains and the states of their files on the desktop's message bus.

        It is nothing to be started by hand: purveyd starts it, for as long as there are domains, with the address of the bus as
        its argument and a socket as descriptor 3. PURVEY_BUS=none in the environment of purveyd does without it.

        """)
