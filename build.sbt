import Dependencies._

ThisBuild / organization := "io.sparkzorder"
ThisBuild / version := Versions("project")
ThisBuild / scalaVersion := CrossSpark.version("scala")
ThisBuild / licenses := Seq(License.Apache2)

// Spark needs these packages open on Java 17+; its own launcher sets the same list.
val sparkModuleOptions = Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "jdk.internal.ref",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") ++ Seq(
  "-Djdk.reflect.useDirectMethodHandle=false",
  "-Dio.netty.tryReflectionSetAccessible=true",
  "--enable-native-access=ALL-UNNAMED")

// Code of many suites fills the default cache (48 MB with the quick compiler alone), and what the JVM drops from it is compiled
// again and again. Most of what a test makes is dead when it ends: a large young generation leaves little to copy.
val testJvmOptions = sparkModuleOptions ++
  Seq("-Xmx3g", "-Xmn1g", "-Dspark.ui.enabled=false", "-XX:ReservedCodeCacheSize=512m", "-XX:+UseSerialGC")

// Rooms whose suites repeat little code very often, as those of the kernel do. Most code of all others runs a few times: in
// the short ring the optimizing compiler takes more of two cores there than its code gives back. In the long ring it takes a
// tenth off the processor's time, and a twelfth more if it waits for code that is run eight times as often as it would by
// itself.
val repeatingRooms = Seq("column", "expressions", "skipping.predicate", "format.parquet.log")

val quickCompiler = Seq("-XX:TieredStopAtLevel=1")

val patientCompiler = Seq(
  "-XX:Tier4InvocationThreshold=40000",
  "-XX:Tier4MinInvocationThreshold=5000",
  "-XX:Tier4CompileThreshold=100000",
  "-XX:Tier4BackEdgeThreshold=300000")

def isRepeating(suite: String): Boolean = repeatingRooms.exists(room => suite.startsWith(s"io.sparkzorder.$room."))

val isLongRing = sys.env.get("ZORDER_TEST_RING").exists(_ != "short")

// Suites that repeat their code and all others run side by side, each in a JVM of their own. Another JVM with Spark would load
// and compile again what these have, while the black-box tests keep both cores busy.
Global / concurrentRestrictions := Seq(Tags.limit(Tags.ForkedTestGroup, 2))

lazy val root = (project in file("."))
  .aggregate(jvm, bench)
  .disablePlugins(AssemblyPlugin)
  .settings(publish / skip := true)

val compilerSettings = Seq(
  // Delta Lake asks for newer ones than Spark 4.0 has.
  dependencyOverrides ++= ofSpark,
  // Stand-ins for classes that Spark itself has, for its Connect client; not all patches are on Maven Central.
  excludeDependencies += ExclusionRule("org.apache.spark", s"spark-connect-shims_${Versions("scala.binary")}"),
  target := CrossSpark.own(baseDirectory.value / "target"),
  Compile / unmanagedSourceDirectories ++= CrossSpark.shims(baseDirectory.value / "src" / "main"),
  // Shims of all Sparks have one format.
  Compile / scalafmt / unmanagedSourceDirectories := ((Compile / scalafmt / unmanagedSourceDirectories).value ++
    CrossSpark.allShims(baseDirectory.value / "src" / "main")).distinct,
  scalacOptions ++= Seq(
    "-deprecation",
    "-feature",
    "-unchecked",
    "-Xlint:-unused,_",
    "-Wunused:imports,privates,locals",
    "-Wconf:any:warning-verbose",
    "-release",
    Versions("java.min")
  ),
  javacOptions ++= Seq("--release", Versions("java.min"))
)

// Of all modules in one place, and of this minor alone.
val testReports = Def.setting(CrossSpark.own((ThisBuild / baseDirectory).value / "jvm" / "target"))

val testSettings = Seq(
  Test / fork := true,
  // Of groups; within a group, which has one Spark context, suites run one after the other.
  Test / parallelExecution := true,
  Test / testForkedParallel := false,
  Test / javaOptions ++= testJvmOptions,
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / testReportsDirectory := testReports.value / "sbt-test-reports",
  // ScalaTest's own are counted: sbt's say of a test that assumes what this Spark does not have that it passed.
  Test / testOptions +=
    Tests.Argument(TestFrameworks.ScalaTest, "-oDF", "-u", (testReports.value / "test-reports").getPath)
)

// A module of the jar: a folder of `jvm`. It sees the modules that it names, and nothing of the others.
def module(name: String, libraries: ModuleID*): Project =
  Project(name, file("jvm") / name)
    .disablePlugins(AssemblyPlugin)
    .settings(compilerSettings, publish / skip := true, libraryDependencies ++= libraries)

// The project `jvm` compiles and runs its tests.
def sparkModule(name: String, libraries: ModuleID*): Project =
  module(name, spark ++ libraries: _*).settings(Test / unmanagedSourceDirectories := Nil)

// The arrows of docs/architecture.md. Only the kernel is without Spark, and only `format` sees Delta Lake.
lazy val kernel = module("kernel", pureTests: _*).settings(testSettings)

lazy val base = sparkModule("base")
  .dependsOn(kernel)
  // Messages name versions too; they come from the one file.
  .settings(Compile / resourceGenerators += Def.task {
    val target = (Compile / resourceManaged).value / "io" / "sparkzorder" / "versions.properties"
    val lines = IO.readLines((ThisBuild / baseDirectory).value / "project" / "versions.properties")
    IO.writeLines(target, CrossSpark.ofJar(lines))
    Seq(target)
  })

lazy val parquet = sparkModule("parquet").dependsOn(base)

lazy val engine = sparkModule("engine").dependsOn(parquet)

lazy val format = sparkModule("format", delta ++ iceberg: _*).dependsOn(engine)

lazy val sql = sparkModule("sql")
  .dependsOn(format)
  .enablePlugins(Antlr4Plugin)
  .settings(
    Antlr4 / antlr4Version := Versions("antlr"),
    Antlr4 / antlr4PackageName := Some("io.sparkzorder.parser"),
    Antlr4 / antlr4GenListener := false,
    Antlr4 / antlr4GenVisitor := true,
    Antlr4 / antlr4Generate := (Antlr4 / antlr4Generate).value.map(Release.withoutPath),
    // The ANTLR runtime is Spark's own; the plugin would add it as a compile dependency and so to the jar.
    libraryDependencies := libraryDependencies.value.map { m =>
      if (m.organization == "org.antlr" && m.name == "antlr4-runtime") m % Provided else m
    }
  )

lazy val advise = sparkModule("advise").dependsOn(sql)

lazy val sparkModules = Seq(base, parquet, engine, format, sql, advise)

// Files of the repository, by their names in the jar.
def copied(files: (String, String)*) = Def.task {
  files.map { case (from, to) =>
    val target = (Compile / resourceManaged).value / to
    IO.copyFile((ThisBuild / baseDirectory).value / from, target)
    target
  }
}

// The jar: the extension, which knows all modules, and what other Sparks are told. It also runs the tests of all modules that
// see Spark, as one JVM and one Spark context for each of them would take minutes.
lazy val jvm = (project in file("jvm"))
  .aggregate(kernel, base, parquet, engine, format, sql, advise)
  .dependsOn(kernel % "compile->compile;test->test", advise)
  .settings(
    compilerSettings,
    testSettings,
    publish / skip := true,
    name := s"spark-zorder_${CrossSpark.minor}",
    libraryDependencies ++= spark ++ (delta ++ iceberg).map(_.withConfigurations(Some("test"))) ++ tests,
    Compile / resourceGenerators += copied("LICENSE" -> "META-INF/LICENSE", "NOTICE" -> "META-INF/NOTICE"),
    Test / unmanagedSourceDirectories ++= {
      val folder = baseDirectory.value
      val tests = folder / "src" / "test" +: sparkModules.map(module => folder / module.id / "src" / "test")
      tests.tail.map(_ / "scala") ++ tests.flatMap(CrossSpark.shims)
    },
    Test / scalafmt / unmanagedSourceDirectories := ((Test / scalafmt / unmanagedSourceDirectories).value ++
      (baseDirectory.value +: sparkModules.map(baseDirectory.value / _.id)).flatMap(module =>
        CrossSpark.allShims(module / "src" / "test"))).distinct,
    Test / testGrouping := {
      val (repeating, others) = (Test / definedTests).value.partition(suite => isRepeating(suite.name))
      val options = (Test / forkOptions).value
      val compiler = if (isLongRing) patientCompiler else quickCompiler
      val ofOthers = options.withRunJVMOptions(options.runJVMOptions ++ compiler)
      Seq(
        Tests.Group("repeating", repeating, Tests.SubProcess(options)),
        Tests.Group("others", others, Tests.SubProcess(ofOthers)))
    },
    // Delta then remembers the plan that its writer ran last, and gives files names with characters to escape.
    Test / envVars += "DELTA_TESTING" -> "1",
    assembly / assemblyJarName := s"${name.value}_${scalaBinaryVersion.value}-${version.value}.jar",
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    assembly / test := {}
  )

// The artifact as it is published: the jar of `jvm`, and sources and documentation of all its modules.
lazy val release = (project in file(".build/release-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(Release.settings)
  .settings(
    target := CrossSpark.own(baseDirectory.value / "target"),
    name := s"spark-zorder_${CrossSpark.minor}",
    // Else the dot of the minor would be a hyphen.
    moduleName := name.value,
    // Spark has it.
    autoScalaLibrary := false,
    libraryDependencies ++= (scalaOrganization.value % "scala-library" % scalaVersion.value % Provided) +: (spark ++ delta),
    // The documentation links with the sources' own Hadoop, as they do.
    dependencyOverrides ++= ofSpark,
    Compile / packageBin := (jvm / assembly).value,
    Compile / packageSrc / mappings := (Compile / packageSrc / mappings).all(ofModules).value.flatten,
    Compile / doc / sources := (Compile / sources).all(ofModules).value.flatten,
    // Links to Spark's classes stand in text alone: its pages are not there to look them up.
    Compile / doc / scalacOptions := Seq("-no-link-warnings", "-nowarn", "-doc-title", s"spark-zorder ${version.value}")
  )

lazy val ofModules =
  ScopeFilter(inProjects(kernel, base, parquet, engine, format, sql, advise, jvm), inConfigurations(Compile))

lazy val bench = (project in file("jvm/bench"))
  .dependsOn(engine)
  .enablePlugins(JmhPlugin)
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    target := CrossSpark.own(baseDirectory.value / "target"),
    libraryDependencies ++= spark.map(_.withConfigurations(None)),
    Jmh / javaOptions ++= sparkModuleOptions
  )

// Delta Lake as a user adds it, for the demo and the black-box tests: its jars and what they need beyond Spark's own.
lazy val deltaJars = taskKey[Unit]("Copies Delta Lake's jars to .build/delta-jars or .build/spark-4.1/delta-jars.")

lazy val deltaLake = Project("delta", file(".build/delta-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    libraryDependencies += "io.delta" % s"delta-spark_${CrossSpark.minor}_${Versions("scala.binary")}" %
      Versions("delta") exclude ("org.scala-lang", "scala-library"),
    deltaJars := {
      val target = CrossSpark.own((ThisBuild / baseDirectory).value / ".build") / "delta-jars"
      val theirs = Set("io.delta", "io.unitycatalog", "org.locationtech.jts")
      val jars = update.value.allModules.filter(m => theirs(m.organization)).map(_.name)
      IO.delete(target)
      (Runtime / managedClasspath).value.map(_.data).filter(f =>
        jars.exists(n => f.getName.startsWith(n + "-"))).foreach {
        jar => IO.copyFile(jar, target / jar.getName)
      }
    }
  )

// What `make bench` and `make queries` set beside ours: Iceberg for its own Spark, the generator of TPC-DS with what it needs,
// and the queries of TPC-DS, which lie in the jar of Spark's own tests.
lazy val benchJars = taskKey[Unit]("Copies the benchmarks' jars to .build/bench/jars.")

lazy val peers = (project in file(".build/peers-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    autoScalaLibrary := false,
    libraryDependencies ++= Seq(
      ("org.apache.iceberg" % s"iceberg-spark-runtime-${Versions("bench.iceberg.spark.minor")}_${Versions("scala.binary")}" %
        Versions("bench.iceberg")).intransitive(),
      "io.trino.tpcds" % "tpcds" % Versions("bench.tpcds"),
      // The generator's command line, which its pom calls optional.
      "io.airlift" % "airline" % Versions("bench.airline"),
      ("org.apache.spark" % s"spark-sql_${Versions("scala.binary")}" % Versions(
        "spark") classifier "tests").intransitive()
    ),
    // Maven's way of publishing has no intransitive dependencies, which sbt would warn of.
    publishMavenStyle := false,
    benchJars := {
      val target = (ThisBuild / baseDirectory).value / ".build" / "bench" / "jars"
      val peers = Seq("iceberg-" -> "iceberg", "spark-sql_" -> "tpcds-queries")
      IO.delete(target)
      (Runtime / managedClasspath).value.map(_.data).foreach { jar =>
        val folder = peers.find { case (prefix, _) => jar.getName.startsWith(prefix) }.fold("tpcds")(_._2)
        IO.copyFile(jar, target / folder / jar.getName)
      }
    }
  )

// Name node and data nodes for tests on a cluster; Spark has the rest of Hadoop.
lazy val hdfsJars = taskKey[Unit]("Copies the jar of HDFS's daemons to .build/hdfs/jars.")

lazy val hdfs = (project in file(".build/hdfs-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    autoScalaLibrary := false,
    libraryDependencies += Dependencies.minicluster,
    publishMavenStyle := false,
    hdfsJars := {
      val target = (ThisBuild / baseDirectory).value / ".build" / "hdfs" / "jars"
      IO.delete(target)
      (Runtime / managedClasspath).value.map(_.data).foreach(jar => IO.copyFile(jar, target / jar.getName))
    }
  )

// S3A as users of Spark add it. Of Amazon's SDK only what S3A loads: the bundle that it names has 0.7 GB.
lazy val storeJars = taskKey[Unit]("Copies S3A's jars to .build/stores/jars.")

lazy val stores = (project in file(".build/stores-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    autoScalaLibrary := false,
    libraryDependencies ++= Seq(
      "org.apache.hadoop" % "hadoop-aws" % CrossSpark.version("hadoop") exclude ("software.amazon.awssdk", "bundle"),
      "software.amazon.awssdk" % "s3-transfer-manager" % Versions("stores.awssdk"),
      "software.amazon.awssdk" % "sts" % Versions("stores.awssdk"),
      "software.amazon.awssdk" % "kms" % Versions("stores.awssdk")
    ),
    storeJars := {
      val target = (ThisBuild / baseDirectory).value / ".build" / "stores" / "jars"
      // Spark has these.
      val ofSpark = Set("io.netty", "org.slf4j", "commons-logging", "commons-codec")
      IO.delete(target)
      update.value.matching(configurationFilter("runtime") && moduleFilter(organization = (o: String) => !ofSpark(o)))
        .foreach(jar => IO.copyFile(jar, target / jar.getName))
    }
  )

// Google's connector as users of Spark add it: with all that it needs in it, under other names.
lazy val gcsJars = taskKey[Unit]("Copies the jar of Google's connector to .build/gcs/jars.")

lazy val gcs = (project in file(".build/gcs-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    autoScalaLibrary := false,
    libraryDependencies +=
      ("com.google.cloud.bigdataoss" % "gcs-connector" % Versions("gcs.connector") classifier "shaded").intransitive(),
    gcsJars := {
      val target = (ThisBuild / baseDirectory).value / ".build" / "gcs" / "jars"
      IO.delete(target)
      (Runtime / managedClasspath).value.map(_.data).foreach(jar => IO.copyFile(jar, target / jar.getName))
    }
  )

// Iceberg as users of Spark add it, SQLite for its JDBC catalog, and its REST catalog: Iceberg publishes that server among its tests.
lazy val catalogJars = taskKey[Unit]("Copies the jars of Iceberg's runtime and catalogs to .build/iceberg/jars.")

lazy val catalogs = (project in file(".build/iceberg-project"))
  .disablePlugins(AssemblyPlugin)
  .settings(
    publish / skip := true,
    autoScalaLibrary := false,
    libraryDependencies ++= Seq(
      "org.apache.iceberg" % "iceberg-core" % Versions("tests.iceberg.rest"),
      ("org.apache.iceberg" % "iceberg-core" % Versions("tests.iceberg.rest") classifier "tests").intransitive(),
      "org.eclipse.jetty" % "jetty-servlet" % Versions("tests.iceberg.jetty"),
      "org.xerial" % "sqlite-jdbc" % Versions("tests.iceberg.sqlite"),
      ("org.apache.iceberg" % s"iceberg-spark-runtime-${Versions("iceberg.spark.minors")}_${Versions("scala.binary")}" %
        Versions("iceberg")).intransitive()
    ),
    publishMavenStyle := false,
    catalogJars := {
      val target = (ThisBuild / baseDirectory).value / ".build" / "iceberg" / "jars"
      IO.delete(target)
      (Runtime / managedClasspath).value.map(_.data).foreach { jar =>
        val name = jar.getName
        val folder = if (name.startsWith("iceberg-spark-") || name.startsWith("sqlite-")) "spark" else "rest"
        IO.copyFile(jar, target / folder / name)
      }
    }
  )
