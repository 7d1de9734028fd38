# Purvey's commands. `make help` lists them.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Flags for every build, for instance SWIFT_FLAGS="-j 2".
SWIFT_FLAGS ?=

FORMATTED = Package.swift Sources Tests Examples Providers Benchmarks

# The programs that are installed, and their targets.
PROGRAMS = purveyd purvey purvey-keeper purvey-passthrough purvey-pictures purvey-bus
PROGRAM_TARGETS = PurveyDaemon PurveyCommand PurveyKeeper PurveyPassthrough PurveyPictures PurveyBus
# The extensions that are installed. Each name is that of a directory in Providers and of its target.
PROVIDERS = LocalFolder Nextcloud WebDAV
EXAMPLES = HandOff Logbook Mirror ThumbnailAction FileAway NewNote
# The file browser is run and installed where the development files of libadwaita are, which `make build` installs.
HAS_ADWAITA := $(shell pkg-config --exists libadwaita-1 2>/dev/null && echo yes)
DESKTOP_PROGRAMS = purvey-files
DESKTOP_TARGETS = PurveyFiles
INSTALLED_PROGRAMS = $(PROGRAMS) $(if $(HAS_ADWAITA),$(DESKTOP_PROGRAMS))
INSTALLED_TARGETS = $(PROGRAM_TARGETS) $(if $(HAS_ADWAITA),$(DESKTOP_TARGETS))
# `make run` shows a window unless STAY=no.
RUN_TARGETS = PurveyDaemon PurveyCommand PurveyKeeper LocalFolder \
    $(if $(and $(HAS_ADWAITA),$(DISPLAY)$(WAYLAND_DISPLAY),$(filter-out no,$(or $(STAY),yes))),$(DESKTOP_TARGETS))

# Builds targets with their dependencies: $(call build,CONFIGURATION,TARGETS). Debug builds take half the time of
# release builds. Installed and measured programs come from a release build.
build = PURVEY_TARGETS='$(strip $(2))' Scripts/quietly '$(1) build' Scripts/with-allocator $(SWIFT) build $(SWIFT_FLAGS) $$(Scripts/build-flags $(1))
products = "$$($(SWIFT) build $(SWIFT_FLAGS) $$(Scripts/build-flags $(1)) --show-bin-path)"

# Repeated and trailing slashes of PREFIX are ignored. Functions of make take words, so spaces are replaced meanwhile.
one_word = $(subst $() $(),@SPACE@,$(1))
words_of = $(subst @SPACE@,$() $(),$(1))
one_slash = $(subst //,/,$(subst //,/,$(subst //,/,$(1))))
clean_path = $(patsubst %/,%,$(call one_slash,$(call one_word,$(1))))
PREFIX_WORD := $(call clean_path,$(PREFIX))
override PREFIX := $(call words_of,$(PREFIX_WORD))

# The user's home without a trailing slash. It is empty if HOME is unset or `/`: then no prefix is in it.
HOME_WORD := $(call clean_path,$(HOME))
HOME_FOLDER := $(call words_of,$(HOME_WORD))
IN_HOME := $(if $(HOME_WORD),$(filter $(HOME_WORD) $(HOME_WORD)/%,$(PREFIX_WORD)))

# Units are installed into a directory that systemd searches, depending on the prefix: see systemd.unit(5). For a prefix
# in a user's home, only user units are installed.
ifneq ($(filter /usr /usr/local,$(PREFIX_WORD)),)
USER_UNITS = $(PREFIX)/lib/systemd/user
SYSTEM_UNITS = $(PREFIX)/lib/systemd/system
else ifeq ($(PREFIX),$(if $(HOME_FOLDER),$(HOME_FOLDER)/.local,.))
USER_UNITS = $(PREFIX)/share/systemd/user
SYSTEM_UNITS =
else ifneq ($(IN_HOME),)
USER_UNITS = $(HOME_FOLDER)/.config/systemd/user
SYSTEM_UNITS =
else
USER_UNITS = /etc/systemd/user
SYSTEM_UNITS = /etc/systemd/system
endif
BIN = $(DESTDIR)$(PREFIX)/bin
EXTENSIONS = $(DESTDIR)$(PREFIX)/lib/purvey/extensions
SHARE = $(DESTDIR)$(PREFIX)/share
# The files of Desktop that belong to the file browser, by their places in $(SHARE).
DESKTOP_DATA = applications/org.purvey.Files.desktop metainfo/org.purvey.Files.metainfo.xml \
    icons/hicolor/scalable/apps/org.purvey.Files.svg icons/hicolor/symbolic/apps/org.purvey.Files-symbolic.svg \
    cloud-providers/org.purvey.Purvey1.ini gnome-shell/search-providers/org.purvey.Files.search-provider.ini \
    $(EMBLEMS:%=icons/hicolor/scalable/emblems/emblem-purvey-%.svg) $(FILE_MANAGER_DATA)
EMBLEMS = cloud error kept partial uploading
# Extensions of file managers. They are used if the file manager and its package for extensions in Python are installed.
FILE_MANAGER_DATA = $(FILE_MANAGER_MODULES)/purvey_file_manager.py $(FILE_MANAGER_MODULES)/purvey_states.py \
    nautilus-python/extensions/purvey_nautilus.py nemo-python/extensions/purvey_nemo.py \
    caja-python/extensions/purvey_caja.py
FILE_MANAGER_MODULES = purvey/file-managers
INSTALLED_DATA = $(if $(HAS_ADWAITA),$(DESKTOP_DATA))
INSTALLED_FOLDERS = '$(BIN)' '$(EXTENSIONS)' '$(DESTDIR)$(USER_UNITS)' $(if $(SYSTEM_UNITS),'$(DESTDIR)$(SYSTEM_UNITS)') \
    $(foreach folder,$(sort $(dir $(INSTALLED_DATA))),'$(SHARE)/$(folder)')

# Refuses relative prefixes, which each program would resolve differently, and characters that are special in a unit, in
# a desktop entry or in a shell.
define check_prefix
@case "$$PREFIX" in \
    /*) ;; \
    *) echo "make $@: PREFIX is '$$PREFIX', and has to be an absolute path other than /" >&2; exit 2 ;; \
esac; \
case "$$PREFIX/" in \
    */./* | */../*) echo "make $@: PREFIX is '$$PREFIX', and cannot have . or .. as a folder" >&2; exit 2 ;; \
esac; \
case "$$DESTDIR" in \
    \~*) echo "make $@: DESTDIR is '$$DESTDIR', and ~ is not expanded there: use \$$HOME" >&2; exit 2 ;; \
esac; \
case "$$DESTDIR$$PREFIX" in \
    *[\'\"\\\`\$$%\&\|]*) \
        echo "make $@: PREFIX and DESTDIR cannot have any of ' \" \` \\ \$$ % & |" >&2; exit 2 ;; \
esac
endef
define check_swift
@command -v $(firstword $(SWIFT)) >/dev/null || { \
    echo "make $@: '$(SWIFT)' is no program: install a Swift toolchain, or pass its path as SWIFT=…" >&2; exit 2; }
endef
export PREFIX DESTDIR

.DEFAULT_GOAL = help
.PHONY: help run demo build test release-tests build-checks test-debug test-full thread-sanitizer lint format declarations \
    benchmark faults install uninstall deb clean

help:
	@echo 'make run         mounts a folder that is served as if it were a cloud, shows a file being fetched, and stays'
	@echo 'make build       builds the programs, the file providers and the examples into .build/debug'
	@echo 'make demo        hands the files of Examples from one process to another, and shows how they arrived'
	@echo 'make test        checks the sources, builds, and runs every test once, optimized; what CI runs'
	@echo 'make test-debug  runs every test in a debug build'
	@echo 'make test-full   make test with all cases of the tests that run a sample, then make test-debug'
	@echo 'make thread-sanitizer  runs the tests of file coordination under ThreadSanitizer'
	@echo 'make lint        checks the sources only'
	@echo 'make format      formats the sources in place'
	@echo 'make declarations writes the table of Apple'"'"'s declarations, after make test'
	@echo 'make benchmark   measures, against peers in the same run where there are any, and prints the ratios'
	@echo 'make faults      kills, stops, disconnects and fills the disk at every step of what is done in a mount'
	@echo 'make install     installs the programs and the file providers beneath PREFIX (/usr/local)'
	@echo 'make uninstall   removes what make install with the same PREFIX installed'
	@echo 'make deb         makes Debian packages in .build/packages'
	@echo 'make clean       removes what was built'

# Uses a directory and a daemon of its own, and none of the user's files. Stays until it is interrupted; ends at once
# with STAY=no.
run:
	$(check_swift)
	@Scripts/install-packages run
	@$(call build,debug,$(RUN_TARGETS))
	@Scripts/demonstrate-file-provider $(call products,debug) Examples

build:
	$(check_swift)
	@Scripts/install-packages run install build
	@$(call build,debug,$(PROGRAM_TARGETS) $(DESKTOP_TARGETS) $(PROVIDERS) $(EXAMPLES))

demo:
	$(check_swift)
	@Scripts/install-packages run build
	@$(call build,debug,PurveyDaemon PurveyCommand PurveyDemo ThumbnailAction FileAway)
	@$(call products,debug)/purvey-demo Examples

# Tests often wait for processes and timers, so the checks of the build run at the same time.
test: lint
	@Scripts/install-packages run install build test
	@Scripts/install-python-packages sample
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests release --build
	@$(MAKE) --no-print-directory --jobs=2 release-tests build-checks

release-tests:
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests release --built

build-checks:
	@SWIFT='$(SWIFT)' Scripts/quietly 'declarations' Scripts/check-declarations
	@SWIFT='$(SWIFT)' Scripts/quietly 'groups of packages' Scripts/check-package-groups
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/quietly 'a package that uses this one' Scripts/check-client
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/quietly 'make install' Scripts/check-installation
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests debug --listed

test-debug:
	$(check_swift)
	@Scripts/install-packages run install build test
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-tests debug

# Takes about an hour and a half on two processors. The debug build runs the samples: further cases differ in their data,
# not in what a configuration changes. The last step needs root, which is checked first.
test-full:
	@[ "$$(id -u)" = 0 ] || { echo 'make test-full: its last step makes a Debian system and installs the packages there,' \
	    'which needs root: run it as root, or run make test PURVEY_TESTS=full and make test-debug' >&2; exit 2; }
	$(check_swift)
	@Scripts/install-packages run install build test clouds desktops
	@Scripts/install-python-packages
	@STEP_TIMEOUT=120m PURVEY_TESTS=full $(MAKE) test
	@PURVEY_TESTS=desktops Scripts/run-tests release --built '^FileManagerTests\.'
	@STEP_TIMEOUT=120m $(MAKE) test-debug
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' STEP_TIMEOUT=60m Scripts/quietly 'packages' Scripts/check-packages

thread-sanitizer:
	$(check_swift)
	@Scripts/install-packages run install build test
	@SWIFT='$(SWIFT)' SWIFT_FLAGS='$(SWIFT_FLAGS)' Scripts/run-thread-sanitizer

lint:
	$(check_swift)
	@Scripts/install-packages run install build test
	@Scripts/quietly 'swift format lint' \
	    $(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(FORMATTED)
	@Scripts/quietly 'the source check itself' Scripts/check-sources --self-test
	@Scripts/quietly 'the trace of system calls itself' Scripts/trace-extension --self-test
	@Scripts/quietly 'the progress itself' Scripts/quietly --self-test
	@Scripts/quietly 'floors and house rules' Scripts/check-sources

format:
	@$(SWIFT) format --in-place --recursive --parallel --configuration .swift-format $(FORMATTED)

# Needs a build of the tests, which make test leaves.
declarations:
	@SWIFT='$(SWIFT)' Scripts/check-declarations --write

benchmark:
	$(check_swift)
	@Scripts/install-packages run install build test benchmark
	@$(call build,release,$(PROGRAM_TARGETS) $(PROVIDERS) PurveyBenchmark)
	@$(call products,release)/purvey-benchmark

# Takes one to two hours on two processors. FAULTS gives further arguments, such as
# FAULTS='--scenario renames --seed 7 --sample 50'.
faults:
	$(check_swift)
	@Scripts/install-packages run install build test
	@$(call build,release,$(PROGRAM_TARGETS) PurveyFaults ScriptableProvider)
	@$(call products,release)/purvey-faults $(FAULTS)

# Installs programs that are linked with Swift's libraries statically. They need no toolchain, and start faster.
#
# A missing toolchain is found before directories are made, and directories without write access before the build.
# Installed files are readable by all users, whatever the umask.
install:
	$(check_prefix)
	$(check_swift)
	@umask 022; for folder in $(INSTALLED_FOLDERS); do \
	    install -d "$$folder" && [ -w "$$folder" ] || { echo "make install: $$folder cannot be written to:" \
	        "install as root, or with PREFIX=\$$HOME/.local for yourself" >&2; exit 1; }; \
	done
	@Scripts/install-packages run install
	@$(call build,release,$(INSTALLED_TARGETS) $(PROVIDERS))
	@SWIFT='$(SWIFT)' Scripts/quietly 'linking' Scripts/link-statically $(call products,release) .build/install \
	    $(INSTALLED_PROGRAMS) $(PROVIDERS)
	install --strip $(INSTALLED_PROGRAMS:%=.build/install/%) '$(BIN)'
	umask 022; sed "s/^version=\$$/version=$$(Scripts/purvey-version)/" Scripts/assemble-extension >'$(BIN)/assemble-extension'
	chmod a+rx '$(BIN)/assemble-extension'
	@Scripts/install-manuals install .build/install '$(SHARE)' $(INSTALLED_PROGRAMS)
	install -D --mode=644 Packaging/assemble-extension.1 '$(SHARE)/man/man1/assemble-extension.1'
ifneq ($(INSTALLED_DATA),)
	umask 022; for file in $(INSTALLED_DATA); do \
	    sed 's|PROGRAMS/|$(PREFIX)/bin/|' "Desktop/$${file##*/}" >'$(SHARE)'/"$$file" || exit; \
	done
else
	@echo 'make install: without the file browser, because libadwaita-1-dev is not installed'
endif
	umask 022; for provider in $(PROVIDERS); do \
	    Scripts/assemble-extension Providers/$$provider .build/install '$(EXTENSIONS)' \
	    && strip '$(EXTENSIONS)'/$$provider.appex/$$provider \
	    && chmod -R a+rX '$(EXTENSIONS)'/$$provider.appex || exit; \
	done
	umask 022; sed 's|PROGRAMS/|$(PREFIX)/bin/|' Scripts/purvey.service >'$(DESTDIR)$(USER_UNITS)/purvey.service'
ifneq ($(SYSTEM_UNITS),)
	umask 022; sed 's|PROGRAMS/|$(PREFIX)/bin/|' Scripts/purvey-passthrough.service \
	    >'$(DESTDIR)$(SYSTEM_UNITS)/purvey-passthrough.service'
endif

# Files in users' directories remain: domains, caches and extensions of their own.
uninstall:
	$(check_prefix)
	rm -f $(foreach program,$(PROGRAMS) $(DESKTOP_PROGRAMS) assemble-extension,'$(BIN)/$(program)')
	rm -f $(DESKTOP_DATA:%='$(SHARE)/%') '$(SHARE)/man/man1/assemble-extension.1'
	@# Python keeps compiled modules beside the extensions.
	rm -rf '$(SHARE)/$(FILE_MANAGER_MODULES)'
	[ ! -d '$(SHARE)/purvey' ] || rmdir --ignore-fail-on-non-empty '$(SHARE)/purvey'
	rm -f $(foreach manager,nautilus nemo caja,'$(SHARE)/$(manager)-python/extensions/__pycache__/purvey_$(manager)'.*.pyc)
	Scripts/install-manuals uninstall '$(SHARE)' $(PROGRAMS) $(DESKTOP_PROGRAMS)
	rm -rf $(foreach provider,$(PROVIDERS),'$(EXTENSIONS)/$(provider).appex')
	for folder in '$(EXTENSIONS)' '$(DESTDIR)$(PREFIX)/lib/purvey'; do \
	    [ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; \
	done
	@# Several prefixes share these directories, so a unit may be that of another installation.
	for unit in '$(USER_UNITS)/purvey' $(if $(SYSTEM_UNITS),'$(SYSTEM_UNITS)/purvey-passthrough'); do \
	    ! grep -qsF '="$(PREFIX)/bin/' '$(DESTDIR)'"$$unit.service" || rm -f '$(DESTDIR)'"$$unit.service" || exit; \
	done

# Packages of what make install installs. Scripts/check-packages, which make test-full runs, installs them.
deb:
	$(check_swift)
	@Scripts/install-packages run install build packages
	rm -rf .build/packages
	@$(MAKE) --no-print-directory install DESTDIR='$(CURDIR)/.build/packages/installation' PREFIX=/usr
	@SWIFT='$(SWIFT)' Scripts/quietly 'packages' Scripts/build-packages .build/packages/installation .build/packages
	rm -rf .build/packages/installation
	@ls .build/packages/*.deb

clean:
	rm -rf .build
