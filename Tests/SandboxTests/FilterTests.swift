import CSandbox
import Glibc
import Testing

/// The numbers of system calls on the two machines.
private struct Numbers {
    let machine: csandbox_machine
    let read, openat, truncate, ftruncate, fcntl, ioctl, clone, mmap, socket, kill, prctl, setScheduler, semctl,
        modifyLDT: Int
    let socketpair, connect, bind, listen, fchmod, utimensat, prlimit, mknodat: Int

    static let all = [
        Numbers(
            machine: CSANDBOX_X86_64, read: 0, openat: 257, truncate: 76, ftruncate: 77, fcntl: 72, ioctl: 16,
            clone: 56,
            mmap: 9, socket: 41, kill: 62, prctl: 157, setScheduler: 144, semctl: 66, modifyLDT: 154, socketpair: 53,
            connect: 42, bind: 49, listen: 50, fchmod: 91, utimensat: 280, prlimit: 302, mknodat: 259),
        Numbers(
            machine: CSANDBOX_ARM64, read: 63, openat: 56, truncate: 45, ftruncate: 46, fcntl: 25, ioctl: 29,
            clone: 220,
            mmap: 222, socket: 198, kill: 129, prctl: 167, setScheduler: 119, semctl: 191, modifyLDT: 333,
            socketpair: 199,
            connect: 203, bind: 200, listen: 201, fchmod: 52, utimensat: 88, prlimit: 261, mknodat: 33),
    ]
}

private let notPermitted = FilterMachine.Verdict.failed(EPERM)
private let unknown = FilterMachine.Verdict.failed(ENOSYS)

@Suite struct FilterTests {
    @Test(arguments: 0..<2) func callsThatProgramsNeedAreAllowedAndOthersRefused(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        for number in [numbers.read, numbers.openat, numbers.ftruncate] {
            #expect(filter.verdict(number) == .allowed)
        }
        // A file is emptied as it is opened for writing, but not for reading.
        for flags in [O_WRONLY | O_TRUNC, O_RDWR | O_TRUNC | O_CREAT, O_RDONLY | O_CREAT] {
            #expect(filter.verdict(numbers.openat, [3, 1, UInt64(flags)]) == .allowed)
        }
        #expect(filter.verdict(numbers.openat, [3, 1, UInt64(O_RDONLY | O_TRUNC)]) == notPermitted)
        for number in [numbers.truncate, numbers.setScheduler, numbers.semctl] {
            #expect(filter.verdict(number) == notPermitted)
        }
        #expect(filter.verdict(numbers.fchmod) == .failed(0))
        #expect(filter.length < 1_000)
    }

    @Test(arguments: 0..<2) func callsThatAreNotKnownDoNotExist(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        for number in [471, 500, 1_000_000, -1, 400, 423, 0x4000_0000, 0x4000_0000 + numbers.read] {
            #expect(filter.verdict(number) == unknown, "\(number)")
        }
        // clone3, whose flags a filter does not see; open_tree_attr; io_uring_setup; the last ones.
        #expect(filter.verdict(435) == unknown)
        for number in [467, 425, 468, 470] { #expect(filter.verdict(number) == notPermitted, "\(number)") }
        // On another machine, the numbers mean other calls.
        #expect(filter.verdict(numbers.read, architecture: 0x4000_0003) == .killed)
    }

    @Test(arguments: 0..<2) func argumentsAreComparedInTheirLowerHalf(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        let garbage: UInt64 = 0xDEAD_BEEF_0000_0000
        // F_GETFL; F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY.
        #expect(filter.verdict(numbers.fcntl, [3, 3 | garbage]) == .allowed)
        for command: UInt64 in [8, 10, 15, 1024, 1026] {
            #expect(filter.verdict(numbers.fcntl, [3, command]) == notPermitted, "\(command)")
            #expect(filter.verdict(numbers.fcntl, [3, command | garbage]) == notPermitted, "\(command)")
        }
        // FIONREAD; TIOCSTI, FIOSETOWN, SIOCSPGRP, SIOCGIFCONF, FIFREEZE, EXT4_IOC_SHUTDOWN, FS_IOC_SETFLAGS.
        #expect(filter.verdict(numbers.ioctl, [3, 0x541B]) == .allowed)
        for request: UInt64 in [0x5412, 0x8901, 0x8902, 0x8912, 0xC004_5877, 0x8004_587D, 0x4008_6602] {
            #expect(filter.verdict(numbers.ioctl, [3, request]) == notPermitted, "\(request)")
        }
    }

    @Test(arguments: 0..<2) func threadsAreMadeAndNoProcessesOrNamespaces(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        let thread: UInt64 = 0x3D0F00
        #expect(filter.verdict(numbers.clone, [thread]) == .allowed)
        #expect(filter.verdict(numbers.clone, [thread | 0x40_0000]) == .allowed)
        // Go's.
        #expect(filter.verdict(numbers.clone, [0x5_0F00]) == .allowed)
        // SIGCHLD; vfork's; a thread in new namespaces; one that is traced or has another parent.
        for flags: UInt64 in [
            17, 0x4111, thread | 0x2_0000, thread | 0x4000_0000, thread | 0x400_0000, thread | 0x2000, thread | 0x8000,
        ] {
            #expect(filter.verdict(numbers.clone, [flags]) == notPermitted, "\(flags)")
        }
    }

    @Test(arguments: 0..<2) func memoryThatNothingCountsIsRefused(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        func map(_ flags: UInt64) -> FilterMachine.Verdict? { filter.verdict(numbers.mmap, [0, 4096, 3, flags]) }
        // Private, private without a file, shared with one, a stack without reserve.
        for flags: UInt64 in [0x2, 0x22, 0x1, 0x3, 0x2_4022] { #expect(map(flags) == .allowed, "\(flags)") }
        // Shared without a file; growing down; huge pages.
        for flags: UInt64 in [0x21, 0x23, 0x122, 0x4_0022, 0x101] { #expect(map(flags) == notPermitted, "\(flags)") }
    }

    @Test(arguments: 0..<2) func socketsAreThoseOfTheInternetAndOnlyWithTheNetwork(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let without = try FilterMachine(numbers.machine)
        let with = try FilterMachine(numbers.machine, network: true)
        for family: UInt64 in [2, 10] {
            for kind: [UInt64] in [[1, 0], [2, 0], [0x8_0801, 6], [2, 17]] {
                #expect(with.verdict(numbers.socket, [family] + kind) == .allowed)
                #expect(without.verdict(numbers.socket, [family] + kind) == notPermitted)
            }
            // Raw packets, SCTP, MPTCP.
            for kind: [UInt64] in [[3, 1], [5, 132], [1, 262]] {
                #expect(with.verdict(numbers.socket, [family] + kind) == notPermitted)
            }
        }
        // Local sockets, netlink, packets, Bluetooth, vsock.
        for family: UInt64 in [1, 16, 17, 31, 40] {
            #expect(with.verdict(numbers.socket, [family, 1, 0]) == notPermitted)
        }
        // The end of a pair takes no name, and does not tell which exist.
        for number in [numbers.bind, numbers.listen, numbers.connect] {
            #expect(with.verdict(number, [5]) == .allowed)
            #expect(without.verdict(number, [5]) == notPermitted)
        }
        #expect(without.verdict(numbers.socketpair, [1, 1, 0]) == .allowed)
        #expect(without.verdict(numbers.socketpair, [1, 2, 0]) == notPermitted)
    }

    @Test(arguments: 0..<2) func aDisplaysSocketIsTheHandlers(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine, localSocket: 1023)
        #expect(filter.verdict(numbers.socket, [1, 1, 0]) == .trapped)
        #expect(filter.verdict(numbers.socket, [2, 1, 0]) == notPermitted)
        #expect(filter.verdict(numbers.connect, [1023]) == .trapped)
        #expect(filter.verdict(numbers.connect, [5]) == notPermitted)
        let both = try FilterMachine(numbers.machine, network: true, localSocket: 1023)
        #expect(both.verdict(numbers.connect, [1023]) == .trapped)
        #expect(both.verdict(numbers.connect, [5]) == .allowed)
    }

    @Test(arguments: 0..<2) func aProcessSignalsAndLimitsItselfOnly(_ index: Int) throws {
        let numbers = Numbers.all[index]
        let filter = try FilterMachine(numbers.machine)
        // The placeholder for the process's own ID.
        #expect(filter.verdict(numbers.kill, [0x7E5E_1F00, 15]) == .allowed)
        for process: UInt64 in [0, 1, 1234, .max] {
            #expect(filter.verdict(numbers.kill, [process, 9]) == notPermitted)
        }
        #expect(filter.verdict(numbers.prlimit, [0]) == .allowed)
        #expect(filter.verdict(numbers.prlimit, [1]) == notPermitted)
        // PR_SET_NAME; PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_MM.
        #expect(filter.verdict(numbers.prctl, [15]) == .allowed)
        for option: UInt64 in [1, 4, 22, 35] { #expect(filter.verdict(numbers.prctl, [option]) == notPermitted) }
        // Setting times by descriptor returns success without effect. Setting times by path fails.
        #expect(filter.verdict(numbers.utimensat, [3, 0]) == .failed(0))
        #expect(filter.verdict(numbers.utimensat, [3, 0x7F00_0000_0000]) == notPermitted)
        // A named pipe, and a device.
        #expect(filter.verdict(numbers.mknodat, [3, 1, 0o010644]) == .allowed)
        #expect(filter.verdict(numbers.mknodat, [3, 1, 0o020644]) == notPermitted)
    }
}
