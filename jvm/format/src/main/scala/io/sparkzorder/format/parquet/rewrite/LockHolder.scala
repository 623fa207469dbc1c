// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.lang.management.ManagementFactory
import java.net.InetAddress
import java.nio.file.{Files, Path}

import scala.util.Try

import io.sparkzorder.format.parquet.folder.access.MountPoints

/**
 * The process that holds a table's lock.
 *
 * @param machine
 *   distinguishes machines, their boots and containers; empty where nothing does
 * @param pid
 *   number of its process there
 * @param started
 *   time at which that process began, in milliseconds since 1970; it counts where `ticks` is not known
 * @param host
 *   name of the machine, for messages
 * @param since
 *   time at which it took the lock, in milliseconds since 1970
 * @param ticks
 *   time at which that process began by the kernel's own count since the machine's start, which no clock moves: numbers
 *   of processes are used again. 0 where that is not known
 */
private[parquet] final case class LockHolder(
    machine: String,
    pid: Long,
    started: Long,
    host: String,
    since: Long,
    ticks: Long) {

  /** Whether the process is certain to be gone. False also where nobody here can know: others' processes may be hidden. */
  def hasDied: Boolean = machine.nonEmpty && machine == LockHolder.machine && !MountPoints.hideProcesses && {
    val process = ProcessHandle.of(pid)
    !process.isPresent || !process.get.isAlive || isAnother(process.get)
  }

  private def isAnother(process: ProcessHandle): Boolean =
    if (ticks > 0) LockHolder.ticksOf(pid).exists(_ != ticks) else LockHolder.startOf(process).exists(_ != started)

  override def toString: String = s"process $pid on $host"
}

private[parquet] object LockHolder {

  private val boot = Path.of("/proc/sys/kernel/random/boot_id")
  private val processes = Path.of("/proc/self/ns/pid")

  /** Processes see each other only within one boot of one machine, and one name space of numbers. */
  private lazy val machine: String =
    Try(s"${Files.readString(boot).trim} ${Files.readSymbolicLink(processes)}").getOrElse("")

  private def startOf(process: ProcessHandle): Option[Long] = {
    val start = process.info.startInstant
    if (start.isPresent) Some(start.get.toEpochMilli) else None
  }

  /** The field `starttime` of `/proc/<pid>/stat`: the 22nd, counted after the name, which may hold anything. */
  private def ticksOf(pid: Long): Option[Long] =
    Try(Files.readString(Path.of(s"/proc/$pid/stat"))).toOption.flatMap { stat =>
      stat.substring(stat.lastIndexOf(')') + 1).trim.split(' ').lift(19).flatMap(_.toLongOption)
    }

  /** This process, now. */
  def me: LockHolder = {
    val process = ProcessHandle.current
    LockHolder(
      machine,
      process.pid,
      startOf(process).getOrElse(ManagementFactory.getRuntimeMXBean.getStartTime),
      Try(InetAddress.getLocalHost.getHostName).getOrElse("unknown"),
      System.currentTimeMillis(),
      ticksOf(process.pid).getOrElse(0L)
    )
  }
}
