// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Has executors fail at chosen moments, by files in the folder {@code spark.test.faults}, so that tests wait for no clock.
 *
 * <ul>
 *   <li>{@code kill}: the first task of each stage that succeeds kills its executor before the driver hears of it, and
 *       leaves {@code killed-stage}. Its work is done, and lost.
 *   <li>{@code hold}: tasks leave {@code held} and wait before they start, for as long as the file is there.
 * </ul>
 */
public class FaultyExecutor implements SparkPlugin {

  @Override
  public DriverPlugin driverPlugin() {
    return null;
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      private Path folder;
      // A task that has succeeded has no context any more.
      private final ThreadLocal<Integer> stage = new ThreadLocal<>();

      @Override
      public void init(PluginContext context, Map<String, String> ignored) {
        folder = Path.of(context.conf().get("spark.test.faults"));
      }

      @Override
      public void onTaskStart() {
        stage.set(TaskContext.get().stageId());
        try {
          while (Files.exists(folder.resolve("hold"))) {
            Files.write(folder.resolve("held"), new byte[0]);
            Thread.sleep(10);
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public void onTaskSucceeded() {
        try {
          if (Files.notExists(folder.resolve("kill"))) return;
          Files.createFile(folder.resolve("killed-" + stage.get()));
          var self = Long.toString(ProcessHandle.current().pid());
          new ProcessBuilder("kill", "-KILL", self).start().waitFor();
        } catch (FileAlreadyExistsException e) {
          // Another task of the stage has done so.
        } catch (IOException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }
}
