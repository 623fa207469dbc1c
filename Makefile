# To try it on a fresh machine with Java 17+, Python 3.10+ and Maven or sbt: `make demo`, `make test-all`.
# Versions stand in project/versions.properties and project/build.properties, nowhere else.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-nightly all-tests unit scala explore soak random-queries e2e newest newest-environment other-minor \
  other-environments lint format jar jars wheel bench sizes rounds skipping scale queries tpcds \
  sorting pictures jmh docs figures references tutorial release publish-local clean setup

version = $(shell sed -n 's/^$(1)=//p' project/versions.properties)
SBT_VERSION := $(shell sed -n 's/^sbt.version=//p' project/build.properties)

VENV := .venv
# The same with the newest patch of the Spark minor.
NEWEST := .venv-newest
# Environments of Spark minors that the jar is not for, each called after its Spark. Those of a ring of tests: OTHERS.
OTHER_SPARKS := .build/other-sparks
OTHERS := $(call version,other.sparks)
PY := $(VENV)/bin/python
# What is imported is compiled then; the rest of Airflow need not be.
PIP_FLAGS := --quiet --disable-pip-version-check --no-compile
SBT_LAUNCH := .build/sbt-launch-$(SBT_VERSION).jar
# The minor of Spark to compile and test for: make jar SPARK=4.1.
SPARK := $(call version,spark.minor)
sbt-for = java -Xmx2g -Dspark.minor=$(1) $(2) -jar $(SBT_LAUNCH)
SBT := $(call sbt-for,$(SPARK))
# The jar of a minor; `CrossSpark.own` has its folder.
jar-of = jvm/target/$(if $(filter-out $(call version,spark.minor),$(1)),spark-$(1)/)scala-$(call version,scala.binary)/spark-zorder_$(1)_$(call version,scala.binary)-$(call version,project).jar
JAR := $(call jar-of,$(call version,spark.minor))
JARS := $(JAR) $(filter-out $(JAR),$(foreach minor,$(call version,spark.minors),$(call jar-of,$(minor))))
# What tries and tests in minutes needs the default jar alone, a longer ring those of its Sparks; a wheel for others has all.
MINORS :=
OF_ALL := MINORS="$(call version,spark.minors)"
JARS_OF_WHEEL := $(JAR) $(filter $(foreach minor,$(MINORS),$(call jar-of,$(minor))),$(filter-out $(JAR),$(JARS)))
# Where each is. One that is for a single Spark never takes the place of the one that users install.
WHEELS := $(if $(filter-out $(JARS_OF_WHEEL),$(JARS)),.build/dist,python/dist)
JVM_SOURCES := $(shell find jvm/src/main jvm/*/src/main -type f -not -path 'jvm/bench/*') build.sbt $(wildcard project/*.*)
PY_SOURCES := $(shell find python/src -type f -not -path '*/jars/*' -not -name versions.properties -not -name '*.pyc') python/pyproject.toml

# What a release says of its publisher.
PUBLISHER = $(if $(RELEASE_URL),'-Drelease.url=$(RELEASE_URL)') $(if $(RELEASE_DEVELOPERS),'-Drelease.developers=$(RELEASE_DEVELOPERS)')

# Environments of dbt and of Airflow, for tests of the docs.
TOOLS_OF_DOCS := .build/dbt/complete .build/airflow/complete

# What the tests need, three things at once: pip waits for the network while sbt compiles, the tests too if there is no jar yet.
TOGETHER := --no-print-directory -j3 WITH_JAR=jvm/Test/compile

SOAK_MINUTES := 60

# Scala suites without a session, by their package.
UNITS := $(foreach p,curve key layout column parser expressions,*.sparkzorder.$(p).*) *.errors.* *.OptimizeMetricsSuite *.ProgressWatchSuite

help:  ## Show this list.
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: .build/installed .build/delta  ## Build everything, z-order a Delta table of real flights, show the gain.
	@$(PY) demo/flights.py $(DEMO_ARGS)

test:  ## Run one real test of every feature, in ten minutes or so with the set-up: Scala, Python, black box.
	@$(MAKE) $(TOGETHER) .build/classes.jsa
	@PY=$(abspath $(PY)) SBT='$(SBT)' tests/run-all --ring=short

# Of what takes turns; of one run, as it may go on past midnight.
export ZORDER_TEST_DAY ?= $(shell date +%F)

test-all: RING := long
test-all: all-tests  ## Also run all that is marked as daily, and of the long tests a twelfth each day, all of them in twelve days; CI runs this.

test-nightly: RING := nightly
test-nightly: all-tests  ## Run everything, on all Sparks, with ten times the random cases.

all-tests:
	@minors="$$(tests/run-all --ring=$(RING) --minors)" && others="$$(tests/run-all --ring=$(RING) --sparks)" && \
	  newest="$$(tests/run-all --ring=$(RING) --newest)" && \
	  $(MAKE) $(TOGETHER) MINORS="$$minors" OTHERS="$$others" \
	  WITH_JAR='jvm/Test/compile stores/storeJars hdfs/hdfsJars $(if $(filter nightly,$(RING)),catalogs/catalogJars gcs/gcsJars)' \
	  .build/classes.jsa .build/browser .build/docs/complete .build/stores/complete .build/hdfs/complete $$newest other-minor \
	  $(if $(filter nightly,$(RING)),$(TOOLS_OF_DOCS) .build/iceberg/complete .build/gcs/complete)
	@PY=$(abspath $(PY)) NEWEST_PY=$(abspath $(NEWEST))/bin/python \
	  OTHER_SPARKS=$(abspath $(OTHER_SPARKS)) SBT='$(SBT)' tests/run-all --ring=$(RING)

unit: $(SBT_LAUNCH) .build/wheel  ## Run the tests that need no Spark session.
	$(SBT) "jvm/testOnly $(UNITS)" </dev/null
	$(PY) -m pytest -q -p no:cacheprovider python/tests
	$(PY) -m pytest -q -p no:cacheprovider benchmarks/tests

scala: $(SBT_LAUNCH)  ## Run Scala suites by name, on any Spark: make scala SUITE='*FileCuts*' SPARK=4.1.
	$(SBT) "jvm/testOnly $(SUITE)" </dev/null

explore: $(SBT_LAUNCH)  ## Explore the log of Parquet tables by 480,000 schedules of chance; test-all tries 2,400 each day.
	ZORDER_TEST_RING=long ZORDER_SCHEDULES=30000 $(SBT) "jvm/testOnly *.ExplorationSuite" </dev/null

soak: .build/installed .build/delta .build/classes.jsa  ## An hour of writers, rewrites and readers that are killed and paused: SOAK_MINUTES, SOAK_SEED.
	$(PY) tests/soak/soak.py --minutes $(SOAK_MINUTES) $(if $(SOAK_SEED),--seed $(SOAK_SEED))

e2e: .build/installed .build/delta .build/classes.jsa .build/browser  ## Run black-box tests: make e2e FILE=tests/sessions/test_optimize.py.
	$(PY) -m pytest -p no:cacheprovider $(FILE)

random-queries: .build/installed .build/delta .build/classes.jsa  ## Random queries and statements with data skipping and without: QUERIES, SEED.
	$(PY) tests/random_queries/random_queries.py $(if $(QUERIES),--queries $(QUERIES)) $(if $(SEED),--seed $(SEED))

lint: $(SBT_LAUNCH) .build/venv  ## Check licence headers, formats, linters and types of Scala and Python.
	scripts/check-headers
	$(SBT) scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check" </dev/null
	$(VENV)/bin/ruff check python tests demo benchmarks scripts/site
	$(VENV)/bin/ruff format --check python tests demo benchmarks scripts/site
	cd python && ../$(VENV)/bin/mypy

format: $(SBT_LAUNCH) .build/venv  ## Rewrite Scala and Python sources in the project's format.
	$(SBT) scalafmtAll scalafmtSbt </dev/null
	$(VENV)/bin/ruff check --fix python tests demo benchmarks scripts/site
	$(VENV)/bin/ruff format python tests demo benchmarks scripts/site

jar: $(call jar-of,$(SPARK))  ## Build the jar of one minor, without Spark, Scala or Delta inside.

jars:  ## Build the jars of all minors of Spark.
	@$(MAKE) --no-print-directory $(OF_ALL) $(JARS)

wheel:  ## Build the Python wheel, which carries the jars of all minors of Spark.
	@$(MAKE) --no-print-directory $(OF_ALL) .build/wheel

release:  ## Make all that Maven Central and PyPI ask for, in .build/release; docs/releasing.md says what a publisher sets.
	@rm -rf .build/release
	@$(MAKE) --no-print-directory publish-local
	@$(MAKE) --no-print-directory wheel
	@cd python && ../$(PY) -m hatchling build -d ../.build/release/python
	@scripts/release

publish-local: $(SBT_LAUNCH)  ## Make a repository of Maven in .build/release/maven, with an artifact for each minor of Spark.
	@for minor in $(call version,spark.minors); do \
	  $(call sbt-for,$$minor,$(PUBLISHER)) release/publish </dev/null || exit 1; \
	done

bench: .build/installed .build/delta .build/bench/jars/complete .build/bench/venvs/complete \
  $(call jar-of,$(call version,bench.iceberg.spark.minor))  ## Time OPTIMIZE in comparison with other systems; BENCH_ARGS='--help' shows the flags.
	@$(PY) benchmarks/optimize/bench.py $(BENCH_ARGS)

sizes: .build/installed .build/delta .build/bench/jars/complete .build/bench/venvs/complete  ## Time OPTIMIZE for 2.5 to 40 million rows, beside delta-rs.
	@$(PY) benchmarks/optimize/sizes.py $(BENCH_ARGS)

rounds: .build/installed .build/delta  ## Ten rounds of appends: what incremental runs rewrite and what point lookups read.
	@$(PY) benchmarks/incremental/rounds.py $(BENCH_ARGS)

skipping: .build/installed .build/delta .build/bench/jars/complete .build/bench/venvs/complete  ## Lookups on tables of 512 files, with and without the index, beside Delta and Iceberg; and planning with 100,000 files.
	@$(PY) benchmarks/skipping/skipping.py $(BENCH_ARGS)

scale: .build/installed .build/delta  ## Plan, describe and OPTIMIZE tables of 100,000 files; BENCH_ARGS='--files 1000000' for more.
	@$(PY) benchmarks/scale/scale.py $(BENCH_ARGS)

queries: .build/installed .build/delta  ## Seconds of queries and of a MERGE on load order, Delta's z-order, liquid clustering and this one.
	@$(PY) benchmarks/queries/queries.py $(BENCH_ARGS)

tpcds: .build/installed .build/delta .build/bench/jars/complete  ## Queries of TPC-DS, MERGE and first rows: what keys of joins skip, beside Delta's z-order.
	@$(PY) benchmarks/tpcds/tpcds.py $(BENCH_ARGS)

sorting: .build/installed .build/delta .build/bench/jars/complete .build/bench/venvs/complete  ## Writes of tables with an order: what they cost and what lookups then read, beside Delta and Iceberg.
	@$(PY) benchmarks/sorting/sorting.py $(BENCH_ARGS)

pictures: .build/installed .build/browser  ## Draw the pictures of the docs anew.
	@$(PY) scripts/site/draw_plots.py

jmh: $(SBT_LAUNCH)  ## Measure the kernels with JMH; results also in .build/jmh.json.
	$(SBT) "bench/Jmh/run -rf json -rff $(abspath .build/jmh.json)" </dev/null

docs: .build/docs/complete  ## Build the documentation as a site, in .build/site; a broken link fails.
	@# Not with --quiet, which keeps `strict` from counting warnings.
	@NO_MKDOCS_2_WARNING=1 .build/docs/bin/mkdocs build
	@echo "Open .build/site/index.html in a browser."

figures: .build/installed  ## Draw the figures of docs/ anew.
	@$(PY) scripts/site/draw.py

references: .build/installed  ## Make the pages of docs/ that come from the code: settings, functions, errors, command line.
	@$(PY) scripts/site/references.py

tutorial: .build/installed .build/delta .build/browser  ## Run docs/tutorial.md; write what it shows into the page, the notebook and the figures.
	@$(PY) scripts/site/tutorial.py
	@$(PY) scripts/site/draw.py

clean:  ## Remove everything that was built or installed here.
	rm -rf .build $(VENV) $(NEWEST) target project/target project/project jvm/target jvm/*/target python/dist \
	  $(addprefix python/src/spark_zorder/,jars versions.properties LICENSE NOTICE) spark-warehouse metastore_db derby.log

# ---- what the targets above stand on

.build/checked: scripts/check-machine
	@mkdir -p .build
	@scripts/check-machine
	@touch $@

$(SBT_LAUNCH): project/build.properties .build/checked
	@scripts/get-sbt-launcher $(SBT_VERSION) $@

# By an sbt for the minor in the jar's name.
$(JARS): $(JVM_SOURCES) $(SBT_LAUNCH)
	$(call sbt-for,$(word 2,$(subst _, ,$(@F)))) jvm/assembly delta/deltaJars $(if $(filter $(JAR),$@),$(WITH_JAR)) </dev/null
	@touch $@

# One after the other, the default first: two sbt in a folder do not bear each other.
$(foreach jar,$(JARS_OF_WHEEL),$(eval $(jar): | $(before))$(eval before := $(jar)))

# What a wheel has: another list makes another wheel.
.build/jars-of-wheel: FORCE
	@mkdir -p .build
	@echo '$(JARS_OF_WHEEL)' | cmp -s - $@ || echo '$(JARS_OF_WHEEL)' > $@

FORCE:

.build/venv: .build/checked requirements-dev.txt project/versions.properties
	@echo "Setting up $(VENV) ..."
	@test -x $(PY) || python3 -m venv $(VENV)
	@$(PY) -m pip install $(PIP_FLAGS) -r requirements-dev.txt \
	  "pyspark[connect]==$(call version,spark)" "delta-spark==$(call version,delta)"
	@touch $@

# As pip resolves the minor for a user today, so without a number for the patch; asked again each time. Delta's Python package
# asks for the oldest; the tests need its jars only.
newest: .build/wheel newest-environment
	@$(NEWEST)/bin/python -m pip install $(PIP_FLAGS) --force-reinstall --no-deps $(WHEELS)/*.whl
	@$(NEWEST)/bin/python -m pip list --disable-pip-version-check | grep -i '^pyspark '

newest-environment: .build/checked
	@test -x $(NEWEST)/bin/python || python3 -m venv $(NEWEST)
	@$(NEWEST)/bin/python -m pip install $(PIP_FLAGS) --upgrade -r requirements-dev.txt \
	  "pyspark[connect]~=$(call version,spark.minor).0"

other-minor: .build/wheel other-environments
	@for spark in $(OTHERS); do \
	  $(OTHER_SPARKS)/$$spark/bin/python -m pip install $(PIP_FLAGS) --force-reinstall --no-deps $(WHEELS)/*.whl || exit 1; \
	done

# They need no wheel: pip gets them while sbt makes the jars.
other-environments: .build/checked
	@for spark in $(OTHERS); do \
	  python=$(OTHER_SPARKS)/$$spark/bin/python; \
	  test -x $$python || python3 -m venv $(OTHER_SPARKS)/$$spark || exit 1; \
	  $$python -m pip install $(PIP_FLAGS) -r requirements-dev.txt "pyspark[connect]==$$spark" || exit 1; \
	done

.build/wheel: $(JARS_OF_WHEEL) .build/jars-of-wheel $(PY_SOURCES) .build/venv
	@rm -rf $(WHEELS) python/src/spark_zorder/jars
	@mkdir -p python/src/spark_zorder/jars
	@cp $(JARS_OF_WHEEL) python/src/spark_zorder/jars/
	@cp project/versions.properties LICENSE NOTICE python/src/spark_zorder/
	@cd python && ../$(PY) -m hatchling build -t wheel -d ../$(WHEELS)
	@touch $@

# The wheel itself, not the sources, is what demo and tests import.
.build/installed: .build/wheel
	@$(PY) -m pip install $(PIP_FLAGS) --force-reinstall --no-deps $(WHEELS)/*.whl
	@touch $@

# Delta Lake's jars for the demo and the tests, which sbt copies when it builds ours, as starting it takes long. Spark's own way,
# Ivy, fails on a ~/.m2 that Maven filled in part.
.build/delta: $(JAR)
	@test -d .build/delta-jars || $(call sbt-for,$(call version,spark.minor)) delta/deltaJars </dev/null
	@touch $@

# A file system and plugins for drivers and executors of the tests.
.build/quick-driver.jar: $(wildcard jvm/src/test/java/io/sparkzorder/*.java) .build/venv
	@rm -rf .build/quick-driver && mkdir -p .build/quick-driver
	@javac -nowarn -cp "$$($(PY) -c 'import pyspark; print(pyspark.__path__[0])')/jars/*" -d .build/quick-driver $(filter %.java,$^)
	@jar cf $@ -C .build/quick-driver .

# Of Spark and Delta, not of ours, so that a change of ours needs no new one. Without it the tests run, slower.
.build/classes.jsa: .build/venv .build/delta .build/quick-driver.jar tests/archive_classes.py | .build/installed
	@echo "Archiving the classes of Spark and Delta for the tests ..."
	@$(PY) tests/archive_classes.py $@ || echo "No archive of classes: the tests start more slowly."

# A headless Chromium for tests/browser and the pictures of the docs.
.build/browser: scripts/get-chromium
	@scripts/get-chromium .build/chromium && touch $@ || echo "No Chromium: the tests in a browser will fail."

.build/bench/jars/complete: project/versions.properties build.sbt $(SBT_LAUNCH)
	@echo "Getting the benchmarks' jars ..."
	@$(SBT) --warn peers/benchJars </dev/null
	@touch $@

# Every peer in an environment of its own: their versions of PySpark and of pyarrow differ.
.build/bench/venvs/complete: .build/checked project/versions.properties $(wildcard benchmarks/requirements/*)
	@echo "Setting up the benchmarks' environments ..."
	@for name in iceberg delta-rs chart; do \
	  test -x .build/bench/venvs/$$name/bin/python || python3 -m venv .build/bench/venvs/$$name || exit 1; \
	done
	@.build/bench/venvs/iceberg/bin/pip install $(PIP_FLAGS) "pyspark==$(call version,bench.iceberg.spark)"
	@.build/bench/venvs/delta-rs/bin/pip install $(PIP_FLAGS) -r benchmarks/requirements/delta-rs.txt
	@.build/bench/venvs/chart/bin/pip install $(PIP_FLAGS) -r benchmarks/requirements/chart.txt
	@touch $@

# S3A, and in an environment of its own a server that answers as S3.
.build/stores/complete: project/versions.properties $(JAR)
	@echo "Setting up an object store for the tests ..."
	@test -d .build/stores/jars || $(SBT) --warn stores/storeJars </dev/null
	@test -x .build/stores/venv/bin/python || python3 -m venv .build/stores/venv
	@.build/stores/venv/bin/pip install $(PIP_FLAGS) "moto[server,s3]==$(call version,stores.moto)"
	@touch $@

# Google's connector and, for tests in the nightly ring, a server that answers as Google Cloud Storage. It is Go's.
.build/gcs/complete: project/versions.properties $(JAR)
	@echo "Setting up a Google Cloud Storage for the tests ..."
	@test -d .build/gcs/jars || $(SBT) --warn gcs/gcsJars </dev/null
	@test -x .build/gcs/bin/fake-gcs-server || GOBIN=$(abspath .build/gcs/bin) go install -ldflags '-s -w' \
	  github.com/fsouza/fake-gcs-server@v$(call version,gcs.server) || echo "No Go: the tests on Google Cloud Storage will fail."
	@touch $@

# HDFS's daemons.
.build/hdfs/complete: project/versions.properties $(JAR)
	@test -d .build/hdfs/jars || $(SBT) --warn hdfs/hdfsJars </dev/null
	@touch $@

# Iceberg's runtime and catalogs, and in an environment of its own other readers of its tables.
.build/iceberg/complete: project/versions.properties tests/iceberg/requirements.txt $(JAR)
	@echo "Setting up catalogs of Iceberg for the tests ..."
	@test -d .build/iceberg/jars || $(SBT) --warn catalogs/catalogJars </dev/null
	@test -x .build/iceberg/venv/bin/python || python3 -m venv .build/iceberg/venv
	@.build/iceberg/venv/bin/pip install $(PIP_FLAGS) -r tests/iceberg/requirements.txt
	@touch $@

# The site's tools, dbt and Airflow each in an environment of its own. dbt finds PySpark in $(VENV).
.build/docs/complete: .build/checked requirements-docs.txt requirements-docs-files.txt
	@echo "Setting up the site's environment ..."
	@test -x .build/docs/bin/python || python3 -m venv .build/docs
	@.build/docs/bin/pip install $(PIP_FLAGS) -r requirements-docs.txt
	@.build/docs/bin/pip install $(PIP_FLAGS) --no-deps -r requirements-docs-files.txt
	@touch $@

.build/dbt/complete: .build/venv tests/docs/requirements/dbt.txt
	@echo "Setting up dbt's environment ..."
	@test -x .build/dbt/bin/python || python3 -m venv .build/dbt
	@.build/dbt/bin/pip install $(PIP_FLAGS) -r tests/docs/requirements/dbt.txt
	@$(abspath $(PY)) -c 'import pyspark; print(pyspark.__path__[0].removesuffix("pyspark"))' \
	  > $$(.build/dbt/bin/python -c 'import site; print(site.getsitepackages()[0])')/pyspark-of-venv.pth
	@touch $@

.build/airflow/complete: .build/checked tests/docs/requirements/airflow.txt tests/docs/requirements/airflow-constraints.txt
	@echo "Setting up Airflow's environment ..."
	@test -x .build/airflow/bin/python || python3 -m venv .build/airflow
	@.build/airflow/bin/pip install $(PIP_FLAGS) -r tests/docs/requirements/airflow.txt \
	  -c tests/docs/requirements/airflow-constraints.txt
	@touch $@

setup: .build/installed .build/delta
