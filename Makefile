# Purvey's commands. `make help` lists them.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Flags for every build, for instance SWIFT_FLAGS="-j 2".
SWIFT_FLAGS ?=

FORMATTED = Package.swift Sources Tests Examples Providers
PROGRAMS = purveyd purvey purvey-keeper purvey-passthrough purvey-pictures purvey-bus
# The extensions that ship, each the name of a folder in Providers and of its program.
PROVIDERS = LocalFolder

.DEFAULT_GOAL = help
.PHONY: help packages run demo test thread-sanitizer lint format declarations build benchmark faults install clean

help:
	@echo 'make run         mounts a folder that is served as if it were a cloud, shows a file being fetched, and stays'
	@echo 'make demo        hands the files of Examples from one process to another, and shows how they arrived'
	@echo 'make test        checks the sources, builds, and runs all tests in debug and release'
	@echo 'make thread-sanitizer  runs the tests of file coordination under ThreadSanitizer'
	@echo 'make lint        checks the sources only'
	@echo 'make format      formats the sources in place'
	@echo 'make declarations writes the table of Apple'"'"'s declarations, after a build with tests'
	@echo 'make benchmark   measures, against peers in the same run where there are any, and prints the ratios'
	@echo 'make faults      kills, stops, disconnects and fills the disk at every step of what is done in a mount; ends with what was lost'
	@echo 'make install     installs the programs and the provider of folders beneath PREFIX (/usr/local)'
	@echo 'make clean       removes what was built'

packages:
	@Scripts/install-packages

# Both stand on a folder and a daemon of their own: nothing of the person who runs them is touched. The first stays until it is
# interrupted, or ends at once with STAY=no.
run: packages
	@Scripts/quietly 'release build' $(SWIFT) build $(SWIFT_FLAGS) -c release
	@Scripts/demonstrate-file-provider "$$($(SWIFT) build $(SWIFT_FLAGS) -c release --show-bin-path)" Examples

demo: packages
	@Scripts/quietly 'release build' $(SWIFT) build $(SWIFT_FLAGS) -c release
	@"$$($(SWIFT) build $(SWIFT_FLAGS) -c release --show-bin-path)/purvey-demo" Examples

test: packages lint
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests debug
	@SWIFT='$(SWIFT)' Scripts/quietly 'declarations' Scripts/check-declarations
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/quietly 'a package that uses this one' Scripts/check-client
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests release

thread-sanitizer: packages
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-thread-sanitizer

lint: packages
	@Scripts/quietly 'swift format lint' \
	    $(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(FORMATTED)
	@Scripts/quietly 'the source check itself' Scripts/check-sources --self-test
	@Scripts/quietly 'floors and house rules' Scripts/check-sources

format:
	@$(SWIFT) format --in-place --recursive --parallel --configuration .swift-format $(FORMATTED)

# After a debug build with tests, as make test leaves it.
declarations: packages
	@SWIFT='$(SWIFT)' Scripts/check-declarations --write

build: packages
	@Scripts/quietly 'release build' $(SWIFT) build $(SWIFT_FLAGS) -c release

benchmark: build
	@"$$($(SWIFT) build $(SWIFT_FLAGS) -c release --show-bin-path)/purvey-benchmark"

# Takes one to two hours on two processors. FAULTS has further arguments, as in FAULTS='--scenario renames --seed 7 --sample 50'.
faults: build
	@"$$($(SWIFT) build $(SWIFT_FLAGS) -c release --show-bin-path)/purvey-faults" $(FAULTS)

# Linked with Swift's libraries inside: what is installed needs no toolchain, and starts in half the time.
install: packages
	@Scripts/quietly 'build for installing' \
	    $(SWIFT) build $(SWIFT_FLAGS) -c release --static-swift-stdlib --scratch-path .build/install
	install -d '$(DESTDIR)$(PREFIX)/bin'
	cd "$$($(SWIFT) build $(SWIFT_FLAGS) -c release --scratch-path .build/install --show-bin-path)" \
	    && install --strip $(PROGRAMS) '$(DESTDIR)$(PREFIX)/bin'
	install -d '$(DESTDIR)$(PREFIX)/lib/systemd/user' '$(DESTDIR)$(PREFIX)/lib/systemd/system'
	sed 's|PROGRAMS/|$(PREFIX)/bin/|' Scripts/purvey.service >'$(DESTDIR)$(PREFIX)/lib/systemd/user/purvey.service'
	sed 's|PROGRAMS/|$(PREFIX)/bin/|' Scripts/purvey-passthrough.service \
	    >'$(DESTDIR)$(PREFIX)/lib/systemd/system/purvey-passthrough.service'
	install -d '$(DESTDIR)$(PREFIX)/lib/purvey/extensions'
	for provider in $(PROVIDERS); do \
	    Scripts/assemble-extension Providers/$$provider \
	        "$$($(SWIFT) build $(SWIFT_FLAGS) -c release --scratch-path .build/install --show-bin-path)" \
	        '$(DESTDIR)$(PREFIX)/lib/purvey/extensions' \
	    && strip '$(DESTDIR)$(PREFIX)/lib/purvey/extensions/'$$provider.appex/$$provider || exit; \
	done

clean:
	rm -rf .build
