// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder;

import java.util.Map;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.spark.SparkContext;

/**
 * Has a driver's Hadoop configuration forget which file each of its thousand settings came from.
 *
 * <p>Hadoop compresses each of these names by itself whenever a configuration is serialized, which Spark does several
 * times a query: a tenth of the processor's time of statements on small data. Only messages name the files.
 */
public class QuickDriver extends DriverSettings {

  /** Settings that are set later keep their sources. */
  public static void forgetSources(Configuration hadoop) {
    // Its class adds a file of defaults, after which every configuration reads all of them again.
    new JobConf();
    try {
      var sources = Configuration.class.getDeclaredField("updatingResource");
      sources.setAccessible(true);
      // They are read with the first look at a setting.
      hadoop.size();
      ((Map<?, ?>) sources.get(hadoop)).clear();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  void change(SparkContext context) {
    forgetSources(context.hadoopConfiguration());
  }
}
