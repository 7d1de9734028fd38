import Exchange
import LinuxSystem
import Testing

@Suite struct VisibilityTests {
    private func participant(_ number: UInt64, user: UInt32 = 1000, team: String? = nil) -> Participant {
        Participant(
            identity: ProcessIdentity(
                user: user, process: .descriptor(FileStatus.Identity(device: 1, inode: number))), team: team)
    }

    @Test func visibilityDecidesLoading() {
        let provider = participant(1, team: "ACME")
        let mate = participant(2, team: "ACME")
        let other = participant(3, team: "OTHER")
        let unregistered = participant(4)
        let askers = [provider, mate, other, unregistered]
        #expect(askers.map { Visibility.all.permits($0, to: provider) } == [true, true, true, true])
        #expect(askers.map { Visibility.team.permits($0, to: provider) } == [true, true, false, false])
        #expect(askers.map { Visibility.group.permits($0, to: provider) } == [true, true, false, false])
        #expect(askers.map { Visibility.ownProcess.permits($0, to: provider) } == [true, false, false, false])
    }

    @Test func twoProcessesWithoutATeamAreNoTeam() {
        #expect(!Visibility.team.permits(participant(1), to: participant(2)))
        #expect(!Visibility.team.permits(participant(1, team: ""), to: participant(2, team: "")))
    }

    @Test func anotherUserSeesNothing() {
        let provider = participant(1, team: "ACME")
        let stranger = participant(1, user: 1001, team: "ACME")
        for visibility in [Visibility.all, .team, .group, .ownProcess] {
            #expect(!visibility.permits(stranger, to: provider))
        }
    }

    @Test func aRecycledProcessNumberIsAnotherProcess() {
        let provider = Participant(
            identity: ProcessIdentity(user: 1000, process: .started(pid: 42, ticks: 100)), team: nil)
        let later = Participant(
            identity: ProcessIdentity(user: 1000, process: .started(pid: 42, ticks: 101)), team: nil)
        #expect(!Visibility.ownProcess.permits(later, to: provider))
    }
}
