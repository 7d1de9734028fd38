import Testing

/// Tests of what there is once in a process: its domains, and whom its managers ask. They run one after the other.
@Suite(.serialized) enum ProcessTests {}
