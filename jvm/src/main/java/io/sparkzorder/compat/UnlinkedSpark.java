// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.slf4j.LoggerFactory;

/**
 * What this jar does where not even {@link OtherSpark} links, as on the Scala 2.12 of Spark 3.5: it says so, and nothing else.
 *
 * <p>In Java, because nothing of Scala's library may be needed.
 */
public final class UnlinkedSpark {

  private UnlinkedSpark() {}

  /** Logs that the session goes on without the extension. */
  public static void warn(LinkageError error) {
    LoggerFactory.getLogger(UnlinkedSpark.class).warn(message(built()));
    LoggerFactory.getLogger(UnlinkedSpark.class).debug("What did not link:", error);
  }

  static String message(Properties built) {
    String spark = built.getProperty("spark.minor");
    return "The extension cannot work here: this jar of spark-zorder is for Spark " + spark + " with Scala "
        + built.getProperty("scala.binary") + ", and this Spark lacks what it needs. The session goes on as without the jar, and"
        + " statements of spark-zorder are syntax errors in it. Run Spark " + spark + ", or take the jar out of the settings.";
  }

  /** The versions that this jar was built for. */
  static Properties built() {
    Properties versions = new Properties();
    try (InputStream file = UnlinkedSpark.class.getResourceAsStream("/io/sparkzorder/versions.properties")) {
      versions.load(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return versions;
  }
}
