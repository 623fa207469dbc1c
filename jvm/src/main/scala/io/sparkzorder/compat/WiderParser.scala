// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import java.lang.invoke.MethodHandles
import java.lang.reflect.{Method, Modifier}

import org.apache.xbean.asm9.{ClassWriter, Label, MethodVisitor, Type}
import org.apache.xbean.asm9.Opcodes._

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}

/**
 * [[OtherSparkParser]] on a Spark whose parsers can do more than those of the Spark that this jar was built with: a
 * class made for that Spark hands on the rest, too. Spark 4.3 has such methods, `splitStatements` for one.
 *
 * It is made of bytes, by the library that Spark itself makes closures with: no source of ours can name the types of
 * such a method, and a stand-in made by reflection would wrap the errors (see [[OtherSparkParser]]).
 */
private[compat] object WiderParser {

  /** What [[OtherSparkParser]] hands on. It cannot be asked: where a type of it is missing, so are all its methods. */
  private val known: Set[String] = SparkParsers.methods ++ Set(
    "parseDataType",
    "parseExpression",
    "parseFunctionIdentifier",
    "parseMultipartIdentifier",
    "parsePlan",
    "parseQuery",
    "parseRoutineParam",
    "parseTableIdentifier",
    "parseTableSchema"
  )

  private val parseException: String = Type.getInternalName(classOf[ParseException])

  /**
   * @param parsers
   *   the interface of all parsers
   */
  def apply[P <: ParserInterface](parsers: Class[P], delegate: P, refusal: Refusal): ParserInterface = {
    val more = parsers.getMethods.toSeq.filterNot(m => Modifier.isStatic(m.getModifiers) || known(m.getName))
    if (more.isEmpty) new OtherSparkParser(delegate, refusal)
    else {
      val made = MethodHandles.lookup().defineHiddenClass(bytes(parsers, more), true).lookupClass()
      made.getConstructor(classOf[ParserInterface], classOf[Refusal]).newInstance(delegate, refusal)
        .asInstanceOf[ParserInterface]
    }
  }

  private def bytes(parsers: Class[_], more: Seq[Method]): Array[Byte] = {
    val base = Type.getInternalName(classOf[OtherSparkParser])
    val writer = new ClassWriter(ClassWriter.COMPUTE_MAXS)
    writer.visit(V17, ACC_PUBLIC, s"${base}OfSpark", null, base, Array(Type.getInternalName(parsers)))

    val creation = s"(${Type.getDescriptor(classOf[ParserInterface])}${Type.getDescriptor(classOf[Refusal])})V"
    val constructor = writer.visitMethod(ACC_PUBLIC, "<init>", creation, null, null)
    (0 to 2).foreach(constructor.visitVarInsn(ALOAD, _))
    constructor.visitMethodInsn(INVOKESPECIAL, base, "<init>", creation, false)
    constructor.visitInsn(RETURN)
    constructor.visitMaxs(0, 0)

    more.foreach(handOn(writer, base, _))
    writer.toByteArray
  }

  private def handOn(writer: ClassWriter, base: String, method: Method): Unit = {
    val (owner, descriptor) = (Type.getInternalName(method.getDeclaringClass), Type.getMethodDescriptor(method))
    val handingOn = writer.visitMethod(ACC_PUBLIC, method.getName, descriptor, null, null)
    // Another way to parse statements: as in the methods that are known.
    val parses = method.getName.startsWith("parsePlan") && method.getParameterTypes.headOption.contains(classOf[String])
    val (begin, end, failed) = (new Label, new Label, new Label)
    if (parses) {
      handingOn.visitTryCatchBlock(begin, end, failed, parseException)
      call(handingOn, base, "refuse")
    }
    handingOn.visitLabel(begin)
    handingOn.visitVarInsn(ALOAD, 0)
    handingOn.visitFieldInsn(GETFIELD, base, "delegate", Type.getDescriptor(classOf[ParserInterface]))
    handingOn.visitTypeInsn(CHECKCAST, owner)
    Type.getArgumentTypes(method).foldLeft(1) { (place, argument) =>
      handingOn.visitVarInsn(argument.getOpcode(ILOAD), place)
      place + argument.getSize
    }
    handingOn.visitMethodInsn(INVOKEINTERFACE, owner, method.getName, descriptor, true)
    handingOn.visitInsn(Type.getReturnType(method).getOpcode(IRETURN))
    handingOn.visitLabel(end)
    if (parses) {
      handingOn.visitLabel(failed)
      // The text is all that is needed of what there was.
      handingOn.visitFrame(
        F_FULL,
        2,
        Array[AnyRef](base, Type.getInternalName(classOf[String])),
        1,
        Array(parseException))
      call(handingOn, base, "refuseClause")
      handingOn.visitInsn(ATHROW)
    }
    handingOn.visitMaxs(0, 0)
  }

  /** Calls a method of [[OtherSparkParser]] with the text that is to be parsed. */
  private def call(handingOn: MethodVisitor, base: String, method: String): Unit = {
    (0 to 1).foreach(handingOn.visitVarInsn(ALOAD, _))
    handingOn.visitMethodInsn(INVOKEVIRTUAL, base, method, "(Ljava/lang/String;)V", false)
  }
}
