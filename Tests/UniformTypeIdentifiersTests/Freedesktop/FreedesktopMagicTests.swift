import FileTesting
import Testing
import UniformTypeIdentifiers

/// Types by content: the rules of the database, and the indexes that find them faster.
struct FreedesktopMagicTests {
    private typealias Matchlet = MIMECacheBuilder.Matchlet
    private typealias Rule = MIMECacheBuilder.Rule

    private func type(_ content: [UInt8], _ rules: [MIMECacheBuilder.Rule]) throws -> String? {
        let database = try #require(try MIMECacheBuilder(rules: rules).database())
        return content.withUnsafeBytes { database.type(forContent: $0)?.type }
    }

    private func type(_ content: String, _ rules: [MIMECacheBuilder.Rule]) throws -> String? {
        try type(Array(content.utf8), rules)
    }

    @Test func aPatternMatchesAtItsOffsetOnly() throws {
        let rules = [Rule(type: "x/a", matchlets: [Matchlet("abc", at: 2)])]
        #expect(try type("..abc", rules) == "x/a")
        #expect(try type(".abc.", rules) == nil)
        #expect(try type("..ab", rules) == nil)
        #expect(try type("", rules) == nil)
    }

    @Test func aPatternInARangeMatchesAnywhereThere() throws {
        let rules = [Rule(type: "x/a", matchlets: [Matchlet("<svg", at: 1, range: 10)])]
        #expect(try type("<svg", rules) == nil)
        #expect(try type(" <svg", rules) == "x/a")
        #expect(try type("0123456789<svg", rules) == "x/a")
        #expect(try type("0123456789.<svg", rules) == nil)
    }

    @Test func aPatternInALongRangeIsFoundToItsEnd() throws {
        let rules = [Rule(type: "x/a", matchlets: [Matchlet("import Qt", range: 3000)])]
        let filler = String(repeating: "import qT ", count: 299)
        #expect(try type(filler + "import Qt", rules) == "x/a")
        #expect(try type(filler + filler + "import Qt", rules) == nil)
    }

    @Test func aMaskedPatternComparesTheBitsOfItsMask() throws {
        let rules = [Rule(type: "x/a", matchlets: [Matchlet([0xF0, 0x01], mask: [0xF0, 0x0F])])]
        #expect(try type([0xF7, 0xA1], rules) == "x/a")
        #expect(try type([0xE7, 0xA1], rules) == nil)
        #expect(try type([0xF7, 0xA2], rules) == nil)
    }

    @Test func aMaskLongerThanAWordIsComparedWhole() throws {
        let value: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 10]
        let mask: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF]
        let rules = [Rule(type: "x/a", matchlets: [Matchlet(value, mask: mask)])]
        #expect(try type([1, 2, 3, 4, 5, 6, 7, 8, 99, 10], rules) == "x/a")
        #expect(try type([1, 2, 3, 4, 5, 6, 7, 8, 99, 11, 0, 0, 0, 0, 0, 0, 0, 0], rules) == nil)
    }

    @Test func hostEndianPatternsAreSwappedOnALittleEndianMachine() throws {
        let rules = [Rule(type: "x/a", matchlets: [Matchlet([0x12, 0x34, 0x56, 0x78], wordSize: 4)])]
        let content = withUnsafeBytes(of: UInt32(0x1234_5678)) { Array($0) }
        #expect(try type(content, rules) == "x/a")
    }

    @Test func oneChildMustMatchToo() throws {
        let rules = [
            Rule(
                type: "x/a",
                matchlets: [
                    Matchlet(
                        "PK",
                        children: [
                            Matchlet("one", at: 4), Matchlet("two", at: 4, children: [Matchlet("!", at: 7, range: 3)]),
                        ])
                ])
        ]
        #expect(try type("PK..one", rules) == "x/a")
        #expect(try type("PK..two", rules) == nil)
        #expect(try type("PK..two..!", rules) == "x/a")
        #expect(try type("PK..", rules) == nil)
        #expect(try type("....one", rules) == nil)
    }

    @Test func theRuleOfTheHighestPriorityCounts() throws {
        let rules = [
            Rule(type: "x/low", priority: 40, matchlets: [Matchlet("ab")]),
            Rule(type: "x/high", priority: 90, matchlets: [Matchlet("b", at: 1, range: 300)]),
            Rule(type: "x/middle", priority: 50, matchlets: [Matchlet("abc")]),
        ]
        let database = try #require(try MIMECacheBuilder(rules: rules).database())
        let found = Array("abc".utf8).withUnsafeBytes { database.type(forContent: $0) }
        #expect(found?.type == "x/high")
        #expect(found?.priority == 90)
        #expect(try type("a.", rules) == nil)
    }

    @Test func aFolderOfHigherPrecedenceCanDeleteTheRulesOfATypeBelow() throws {
        let folder = try TemporaryFolder()
        let user = MIMECacheBuilder(rules: [
            Rule(type: "x/a", matchlets: [Matchlet("__NOMAGIC__"), Matchlet("new")])
        ])
        let system = MIMECacheBuilder(rules: [
            Rule(type: "x/a", matchlets: [Matchlet("old")]), Rule(type: "x/b", matchlets: [Matchlet("b")]),
        ])
        let database = try #require(
            MIMEDatabase(cachePaths: [user.write(to: folder, "user"), system.write(to: folder, "system")]))
        let type = { (content: String) in
            Array(content.utf8).withUnsafeBytes { database.type(forContent: $0)?.type }
        }
        #expect(type("old") == nil)
        #expect(type("new") == "x/a")
        #expect(type("b") == "x/b")
    }

    @Test func senselessPatternsNeverMatch() throws {
        #expect(try type("abc", [Rule(type: "x/a", matchlets: [Matchlet("")])]) == nil)
        #expect(try type("abc", [Rule(type: "x/a", matchlets: [Matchlet("a", range: 0)])]) == nil)
        #expect(try type("abc", [Rule(type: "x/a", matchlets: [Matchlet("a", children: [Matchlet("")])])]) == nil)
        #expect(try type("abc", [Rule(type: "x/a", matchlets: [])]) == nil)
    }

    @Test func theContentLengthReachesAsFarAsTheRules() throws {
        let builder = MIMECacheBuilder(rules: [Rule(type: "x/a", matchlets: [Matchlet("abc", at: 20_000, range: 10)])])
        #expect(try #require(try builder.database()).contentLength == 20_012)
    }

    /// The indexes find the same type as trying every rule in turn.
    @Test func randomRulesMatchAsIfTriedInTurn() throws {
        var random = RandomNumbers(seed: 11)
        for _ in 0..<300 {
            let rules = (0..<Int.random(in: 1...30, using: &random)).map { number in
                Rule(
                    type: "x/\(number)", priority: Int.random(in: 40...43, using: &random),
                    matchlets: (0..<Int.random(in: 1...3, using: &random)).map { _ in randomMatchlet(2, &random) })
            }
            let database = try #require(try MIMECacheBuilder(rules: rules).database())
            let ordered = rules.enumerated().sorted {
                ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset)
            }
            .map(\.element)
            for _ in 0..<30 {
                let content = randomBytes(Int.random(in: 0...40, using: &random), &random)
                let expected = ordered.first { rule in rule.matchlets.contains { naively($0, content) } }
                let found = content.withUnsafeBytes { database.type(forContent: $0)?.type }
                #expect(found == expected?.type)
            }
        }
    }

    private func randomBytes(_ count: Int, _ random: inout RandomNumbers) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 97...100, using: &random) }
    }

    private func randomMatchlet(_ depth: Int, _ random: inout RandomNumbers) -> MIMECacheBuilder.Matchlet {
        let value = randomBytes(Int.random(in: 1...12, using: &random) / 2 + 1, &random)
        let isMasked = Int.random(in: 0..<4, using: &random) == 0
        let children = depth == 0 ? 0 : Int.random(in: 0...2, using: &random)
        return Matchlet(
            value, at: Int.random(in: 0...6, using: &random),
            range: [1, 1, 1, 5, 20, 700].randomElement(using: &random) ?? 1,
            mask: isMasked ? value.map { _ in [0xFF, 0xFE, 0].randomElement(using: &random) ?? 0 } : nil,
            children: (0..<children).map { _ in randomMatchlet(depth - 1, &random) })
    }

    /// Whether a rule matches according to a literal reading of the specification.
    private func naively(_ matchlet: MIMECacheBuilder.Matchlet, _ content: [UInt8]) -> Bool {
        let mask = matchlet.mask ?? matchlet.value.map { _ in 0xFF }
        let isFound = (matchlet.offset..<matchlet.offset + matchlet.range).contains { offset in
            offset + matchlet.value.count <= content.count
                && matchlet.value.indices.allSatisfy { index in
                    content[offset + index] & mask[index] == matchlet.value[index] & mask[index]
                }
        }
        return isFound && (matchlet.children.isEmpty || matchlet.children.contains { naively($0, content) })
    }
}
