import CFuse
import Fuse
import Testing

/// Tests of the numbers of operations against the kernel's header.
@Suite struct OpcodeTests {
    private static let numbers: [(Opcode, fuse_opcode)] = [
        (.lookup, FUSE_LOOKUP),
        (.forget, FUSE_FORGET),
        (.getAttributes, FUSE_GETATTR),
        (.setAttributes, FUSE_SETATTR),
        (.readLink, FUSE_READLINK),
        (.symbolicLink, FUSE_SYMLINK),
        (.makeNode, FUSE_MKNOD),
        (.makeDirectory, FUSE_MKDIR),
        (.unlink, FUSE_UNLINK),
        (.removeDirectory, FUSE_RMDIR),
        (.rename, FUSE_RENAME),
        (.link, FUSE_LINK),
        (.open, FUSE_OPEN),
        (.read, FUSE_READ),
        (.write, FUSE_WRITE),
        (.statistics, FUSE_STATFS),
        (.release, FUSE_RELEASE),
        (.fsync, FUSE_FSYNC),
        (.setExtendedAttribute, FUSE_SETXATTR),
        (.getExtendedAttribute, FUSE_GETXATTR),
        (.listExtendedAttributes, FUSE_LISTXATTR),
        (.removeExtendedAttribute, FUSE_REMOVEXATTR),
        (.flush, FUSE_FLUSH),
        (.initialize, FUSE_INIT),
        (.openDirectory, FUSE_OPENDIR),
        (.readDirectory, FUSE_READDIR),
        (.releaseDirectory, FUSE_RELEASEDIR),
        (.fsyncDirectory, FUSE_FSYNCDIR),
        (.getLock, FUSE_GETLK),
        (.setLock, FUSE_SETLK),
        (.setLockWaiting, FUSE_SETLKW),
        (.access, FUSE_ACCESS),
        (.create, FUSE_CREATE),
        (.interrupt, FUSE_INTERRUPT),
        (.blockMap, FUSE_BMAP),
        (.destroy, FUSE_DESTROY),
        (.ioctl, FUSE_IOCTL),
        (.poll, FUSE_POLL),
        (.notifyReply, FUSE_NOTIFY_REPLY),
        (.batchForget, FUSE_BATCH_FORGET),
        (.allocate, FUSE_FALLOCATE),
        (.readDirectoryPlus, FUSE_READDIRPLUS),
        (.rename2, FUSE_RENAME2),
        (.seek, FUSE_LSEEK),
        (.copyFileRange, FUSE_COPY_FILE_RANGE),
        (.setUpMapping, FUSE_SETUPMAPPING),
        (.removeMapping, FUSE_REMOVEMAPPING),
        (.syncFileSystem, FUSE_SYNCFS),
        (.temporaryFile, FUSE_TMPFILE),
    ]

    @Test func everyOperationHasTheKernelsNumber() {
        #expect(Set(Self.numbers.map(\.0)) == Set(Opcode.allCases))
        for (opcode, number) in Self.numbers { #expect(opcode.rawValue == number.rawValue, "\(opcode)") }
    }
}
