// SPDX-License-Identifier: Apache-2.0
// The statements that spark-zorder adds to Spark SQL. Everything else goes to the parser below (see
// StatementRecognizer.scala), so this grammar has no pass-through rule and its syntax errors are about its own statements
// only. Its tokens are those of Spark's own lexer (see SparkTokens.scala).
parser grammar ZOrderSqlBaseParser;

tokens {
    // Words of the grammar, in any case.
    ALL, ANALYZE, AS, BY, CODEGEN, COLUMNS, COMPUTE, COST, DESC, DESCRIBE, DRY, EXPLAIN, EXTENDED, FILE, FOR, FORMATTED,
    IDENTIFIER, LAYOUT, LOGICAL, ON, OPTIMIZE, OPTIONS, PARTITION, RUN, SKIPPING, STATISTICS, TABLE, WHERE, ZORDER,
    // All other words, numbers among them.
    WORD,
    QUOTED_IDENTIFIER, STRING,
    LEFT_PAREN, RIGHT_PAREN, COMMA, DOT, EQ, MINUS, COLON, QUESTION, SEMICOLON,
    OTHER
}

singleStatement
    : statement SEMICOLON* EOF
    ;

statement
    : EXPLAIN how=explainMode? command                                                 #explain
    | command                                                                          #run
    ;

explainMode
    : LOGICAL | FORMATTED | EXTENDED | CODEGEN | COST
    ;

command
    : OPTIMIZE tableTarget (WHERE predicate)? ZORDER BY columns
        (OPTIONS LEFT_PAREN (option (COMMA option)*)? RIGHT_PAREN)? (DRY RUN)?         #optimize
    | (DESCRIBE | DESC) LAYOUT EXTENDED? tableTarget
        (ON LEFT_PAREN (column (COMMA column)*)? RIGHT_PAREN)? (WHERE predicate)?      #describeLayout
    | ANALYZE TABLE tableTarget COMPUTE FILE STATISTICS
        (FOR (ALL COLUMNS | COLUMNS column (COMMA column)*))?                          #analyzeFileStatistics
    | EXPLAIN SKIPPING query                                                           #explainSkipping
    ;

// By what it begins with a statement is known to be ours, whatever is wrong with the rest. A text that another parser might
// read is not: `OPTIMIZE zorder`, `OPTIMIZE t WHERE zorder = 1`, `DESCRIBE layout AS JSON`.
ourText
    : beginning .*? EOF
    ;

beginning
    : EXPLAIN (EXPLAIN | explainMode)* SKIPPING
    | (EXPLAIN explainMode?)? OPTIMIZE .*? ZORDER BY
    | (EXPLAIN explainMode?)? OPTIMIZE tableTarget ZORDER
    | (EXPLAIN explainMode?)? (DESCRIBE | DESC) LAYOUT describedTable
    // Nobody else's: Spark has COMPUTE STATISTICS, Delta COMPUTE DELTA STATISTICS.
    | (EXPLAIN explainMode?)? ANALYZE .*? COMPUTE FILE
    ;

describedTable
    : WORD | keyword | QUOTED_IDENTIFIER | STRING | parameterMarker
    ;

tableTarget
    : path=STRING
    | parameterMarker
    | identifierClause
    | name
    ;

columns
    : LEFT_PAREN (column (COMMA column)*)? RIGHT_PAREN
    | column (COMMA column)*
    ;

column
    : identifierClause
    | name
    ;

// Spark's own clause: the name is the value of an expression.
identifierClause
    : IDENTIFIER LEFT_PAREN nameExpression RIGHT_PAREN
    ;

// Parsed by Spark's own expression parser from the text between the tokens, as is `predicate`.
nameExpression
    : balanced+
    ;

balanced
    : LEFT_PAREN balanced* RIGHT_PAREN
    | ~(LEFT_PAREN | RIGHT_PAREN)
    ;

predicate
    : .+?
    ;

// Parsed by the parser below, from the text as it stands.
query
    : ~SEMICOLON .*?
    ;

option
    : optionKey EQ? optionValue
    ;

optionKey
    : identifier (DOT identifier)*
    | STRING
    ;

optionValue
    : STRING
    | parameterMarker
    | MINUS? WORD
    ;

name
    : identifier (DOT identifier)*
    ;

identifier
    : WORD
    | QUOTED_IDENTIFIER
    | AS
    | PARTITION
    | keyword
    ;

// In place of a literal.
parameterMarker
    : COLON (WORD | AS | PARTITION | WHERE | keyword)
    | QUESTION
    ;

// The words that may be names of tables and columns, also where a name begins.
keyword
    : ALL | ANALYZE | BY | CODEGEN | COLUMNS | COMPUTE | COST | DESC | DESCRIBE | DRY | EXPLAIN | EXTENDED | FILE | FOR
    | FORMATTED | IDENTIFIER | LAYOUT | LOGICAL | ON | OPTIMIZE | OPTIONS | RUN | SKIPPING | STATISTICS | TABLE | ZORDER
    ;
