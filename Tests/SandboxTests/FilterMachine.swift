import CSandbox
import Glibc
import LinuxSystem

/// A system call filter as the kernel runs it, on any machine: the instructions of seccomp's packet filter, see bpf(4)
/// and seccomp(2).
struct FilterMachine {
    /// The outcome of a system call.
    enum Verdict: Equatable, CustomStringConvertible {
        case allowed, trapped, killed
        case failed(CInt)

        var description: String {
            switch self {
            case .allowed: "allowed"
            case .trapped: "trapped"
            case .killed: "killed"
            case .failed(let number): Errno(rawValue: number).description
            }
        }
    }

    let architecture: UInt32
    private let program: [csandbox_instruction]

    init(_ machine: csandbox_machine, network: Bool = false, localSocket: CInt = 0) throws {
        var instructions: UnsafeMutablePointer<csandbox_instruction>?
        var length = 0
        let error = csandbox_filter(machine, network ? 1 : 0, localSocket, &instructions, &length)
        guard error == 0, let instructions else { throw Errno(rawValue: error) }
        defer { free(instructions) }
        program = Array(UnsafeBufferPointer(start: instructions, count: length))
        architecture = machine == CSANDBOX_ARM64 ? 0xC000_00B7 : 0xC000_003E
    }

    var length: Int { program.count }

    /// Returns the outcome of a call, or `nil` for a program that the kernel would refuse.
    func verdict(_ number: Int, _ arguments: [UInt64] = [], architecture: UInt32? = nil) -> Verdict? {
        // struct seccomp_data: number, architecture, instruction pointer, six arguments.
        var data = [UInt32](repeating: 0, count: 16)
        data[0] = UInt32(truncatingIfNeeded: number)
        data[1] = architecture ?? self.architecture
        for (index, argument) in arguments.enumerated() {
            data[4 + 2 * index] = UInt32(truncatingIfNeeded: argument)
            data[5 + 2 * index] = UInt32(truncatingIfNeeded: argument >> 32)
        }
        var (accumulator, place): (UInt32, Int) = (0, 0)
        while place < program.count {
            let instruction = program[place]
            place += 1
            switch instruction.code {
            case 0x20:
                guard instruction.value % 4 == 0, instruction.value < 64 else { return nil }
                accumulator = data[Int(instruction.value / 4)]
            case 0x54: accumulator &= instruction.value
            case 0x05: place += Int(instruction.value)
            case 0x15: place += Int(accumulator == instruction.value ? instruction.if_true : instruction.if_false)
            case 0x25: place += Int(accumulator > instruction.value ? instruction.if_true : instruction.if_false)
            case 0x35: place += Int(accumulator >= instruction.value ? instruction.if_true : instruction.if_false)
            case 0x45: place += Int(accumulator & instruction.value != 0 ? instruction.if_true : instruction.if_false)
            case 0x06: return Self.verdict(of: instruction.value)
            default: return nil
            }
        }
        return nil
    }

    private static func verdict(of value: UInt32) -> Verdict? {
        switch value & 0xFFFF_0000 {
        case 0x7FFF_0000: .allowed
        case 0x0005_0000: .failed(CInt(value & 0xFFFF))
        case 0x0003_0000: .trapped
        case 0x8000_0000, 0: .killed
        default: nil
        }
    }
}
