// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.lang.reflect.Modifier

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.spark.{SparkFunSuite, SparkThrowable}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{DataType, IntegerType}

class ZOrderErrorsSuite extends SparkFunSuite {

  private val conditions: Map[String, JsonNode] = {
    val json = new ObjectMapper().readTree(getClass.getResource("/error/zorder-error-conditions.json"))
    json.fieldNames.asScala.map(name => name -> json.get(name)).toMap
  }

  private def lines(node: JsonNode): String = node.get("message").elements.asScala.map(_.asText).mkString("\n")

  /** The conditions that can be raised: those with subclasses only through one of these. */
  private val raisable: Map[String, String] = conditions.flatMap { case (name, node) =>
    Option(node.get("subClass")) match {
      case None => Map(name -> lines(node))
      case Some(subs) =>
        subs.fieldNames.asScala.map(sub => s"$name.$sub" -> s"${lines(node)} ${lines(subs.get(sub))}").toMap
    }
  }

  private def template(condition: String): String = raisable(condition)

  private def sqlState(condition: String): String = conditions(condition.takeWhile(_ != '.')).get("sqlState").asText

  private def names(template: String): Set[String] = "<([a-zA-Z]+)>".r.findAllMatchIn(template).map(_.group(1)).toSet

  /** An argument for a parameter of each type that occurs; `n` makes it tell its place. */
  private def argument(parameter: Class[_], n: Int): AnyRef = parameter match {
    case c if c == classOf[String] => s"text$n"
    case c if c == classOf[Int] => Int.box(100 + n)
    case c if c == classOf[Long] => Long.box(100L + n)
    case c if c == classOf[Seq[_]] => Seq(s"item$n", s"other$n")
    case c if c == classOf[Option[_]] => None
    case c if c == classOf[Throwable] => new Exception(s"cause$n")
    case c if c == classOf[DataType] => IntegerType
    case c if c == classOf[Origin] => Origin(line = Some(1), startPosition = Some(n))
    case c if c == classOf[Expression] => AttributeReference(s"column$n", IntegerType)()
  }

  /** Every error there is: each public function of [[ZOrderErrors]], called once. */
  private val errors: Seq[(String, Throwable with SparkThrowable)] = {
    val builders = classOf[ErrorBuilder].getDeclaredMethods.map(_.getName).toSet
    ZOrderErrors.getClass.getDeclaredMethods.toSeq
      .filterNot(m => builders(m.getName))
      .filter(m => Modifier.isPublic(m.getModifiers) && classOf[SparkThrowable].isAssignableFrom(m.getReturnType))
      .sortBy(_.getName)
      .map { m =>
        val arguments = m.getParameterTypes.zipWithIndex.map { case (p, i) => argument(p, i) }
        m.getName -> m.invoke(ZOrderErrors, arguments: _*).asInstanceOf[Throwable with SparkThrowable]
      }
  }

  test("every condition has a message and an SQLSTATE") {
    conditions.foreach { case (name, condition) =>
      assert(name.matches("ZORDER_[A-Z_]+"))
      assert(lines(condition).trim.nonEmpty, name)
      assert(condition.get("sqlState").asText.matches("[0-9A-Z]{5}"), name)
      assert(condition.fieldNames.asScala.toSet.subsetOf(Set("message", "sqlState", "subClass")), name)
    }
  }

  test("every condition is raised by a function, and every function raises a condition that exists") {
    assert(errors.map(_._2.getCondition).toSet === raisable.keySet)
  }

  for ((function, error) <- errors)
    test(s"$function fills its message") {
      val condition = error.getCondition
      assert(error.getMessageParameters.asScala.keySet === names(template(condition)))
      assert(error.getSqlState === sqlState(condition))
      assert(error.getMessage.startsWith(s"[$condition] "))
      assert(names(error.getMessage).isEmpty, error.getMessage)
      error.getMessageParameters.asScala.values.foreach(v => assert(error.getMessage.contains(v)))
      assert(error.getMessage.contains(s"SQLSTATE: ${error.getSqlState}"))
      // What Spark, PySpark and Connect map by: the type decides which exception a user catches.
      error match {
        case e: AnalysisException => checkError(e, condition, Some(error.getSqlState), parameters(error))
        case e: ZOrderRuntimeException => checkError(e, condition, Some(error.getSqlState), parameters(error))
        case other => fail(s"a user would not know ${other.getClass}")
      }
    }

  private def parameters(error: SparkThrowable): Map[String, String] = error.getMessageParameters.asScala.toMap

  test("an empty list reads as none") {
    val error = ZOrderErrors.predicateOnDataColumn("OPTIMIZE", "t", Seq("a"), Nil)
    assert(error.getMessageParameters.get("allowed") === "none")
  }
}
