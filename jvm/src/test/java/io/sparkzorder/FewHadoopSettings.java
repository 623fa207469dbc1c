// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Leaves a driver's Hadoop configuration with the settings that Spark was given for it.
 *
 * <p>Its defaults, a thousand, are copied and serialized several times a query, and read again from XML whenever Iceberg
 * opens a file: a tenth of the samples of statements on few rows. The code that asks for a setting has the same default.
 */
public class FewHadoopSettings extends DriverSettings {

  private static final String OF_HADOOP = "spark.hadoop.";

  /** What was there before, which {@link #restore} puts back. */
  public static final class Settings {
    private final Configuration all;
    private final List<String> files;

    private Settings(Configuration all, List<String> files) {
      this.all = all;
      this.files = files;
    }

    public void restore(Configuration hadoop) {
      namesOfDefaults().addAll(files);
      all.forEach(setting -> hadoop.set(setting.getKey(), setting.getValue()));
    }
  }

  public static Settings keep(Configuration hadoop, SparkConf own) {
    var before = new Settings(new Configuration(hadoop), List.copyOf(namesOfDefaults()));
    before.all.size();
    try {
      // That of HDFS, which is looked for with all others, adds files of defaults.
      FileSystem.getFileSystemClass("file", hadoop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    namesOfDefaults().clear();
    hadoop.clear();
    for (var setting : own.getAllWithPrefix(OF_HADOOP)) hadoop.set(setting._1, setting._2);
    return before;
  }

  @SuppressWarnings("unchecked")
  private static List<String> namesOfDefaults() {
    try {
      var names = Configuration.class.getDeclaredField("defaultResources");
      names.setAccessible(true);
      return (List<String>) names.get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  void change(SparkContext context) {
    keep(context.hadoopConfiguration(), context.conf());
  }
}
