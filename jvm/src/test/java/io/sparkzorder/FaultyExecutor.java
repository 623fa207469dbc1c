// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
 *   <li>{@code hold-writers}: tasks that have written data files leave {@code held-task} and wait before the driver hears
 *       of it.
 *   <li>{@code fail}, {@code fail-writers}: of each task, or of each that has written data files, so many attempts fail as
 *       the file says, when their work is done, and leave {@code failed-stage.task.attempt}.
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
      // A task that has succeeded is no longer the thread's own.
      private final ThreadLocal<TaskContext> task = new ThreadLocal<>();

      @Override
      public void init(PluginContext context, Map<String, String> ignored) {
        folder = Path.of(context.conf().get("spark.test.faults"));
      }

      @Override
      public void onTaskStart() {
        task.set(TaskContext.get());
        task.get().addTaskCompletionListener(this::fail);
        try {
          waitFor("hold", "held");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void onTaskSucceeded() {
        try {
          if (hasWritten(task.get())) waitFor("hold-writers", "held-" + task.get().taskAttemptId());
          if (Files.notExists(folder.resolve("kill"))) return;
          Files.createFile(folder.resolve("killed-" + task.get().stageId()));
          var self = Long.toString(ProcessHandle.current().pid());
          new ProcessBuilder("kill", "-KILL", self).start().waitFor();
        } catch (FileAlreadyExistsException e) {
          // Another task of the stage has done so.
        } catch (IOException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      private void waitFor(String file, String sign) throws IOException {
        try {
          while (Files.exists(folder.resolve(file))) {
            Files.write(folder.resolve(sign), new byte[0]);
            Thread.sleep(10);
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      private void fail(TaskContext context) {
        // A plugin's own exceptions are only logged, those of a listener fail the task.
        if (context.isFailed()) return;
        var attempts = Math.max(number("fail"), hasWritten(context) ? number("fail-writers") : 0);
        if (context.attemptNumber() >= attempts) return;
        var name = context.stageId() + "." + context.partitionId() + "." + context.attemptNumber();
        try {
          Files.write(folder.resolve("failed-" + name), new byte[0]);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("told to fail: " + name);
      }

      private int number(String file) {
        try {
          return Integer.parseInt(Files.readString(folder.resolve(file)));
        } catch (NoSuchFileException e) {
          return 0;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      /** Of an OPTIMIZE with ZORDER BY, by the phase and by rows that the task was given and does not give on. */
      private boolean hasWritten(TaskContext context) {
        var job = context.getLocalProperty("spark.job.description");
        var metrics = context.taskMetrics();
        return job != null && job.endsWith(": rewrite") && metrics.shuffleReadMetrics().recordsRead() > 0
            && metrics.shuffleWriteMetrics().recordsWritten() == 0;
      }
    };
  }
}
