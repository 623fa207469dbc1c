// SPDX-License-Identifier: Apache-2.0
// The statements that spark-zorder adds to Spark SQL. Everything else goes to the parser below (see
// StatementRecognizer.scala), so this grammar has no pass-through rule and its syntax errors are about its own statements
// only. Its tokens are those of Spark's own lexer (see SparkTokens.scala).
parser grammar ZOrderSqlBaseParser;

tokens {
    // Words of the grammar, in any case.
    ADVISE, ALL, ALTER, ANALYZE, AS, BEFORE, BY, CODEGEN, COLUMNS, COMPUTE, COST, DESC, DESCRIBE, DRY, EXPLAIN, EXTENDED,
    FILE, FILES, FOR, FORMATTED, FSCK, HOURS, IDENTIFIER, LAYOUT, LEXICAL, LOGICAL, ON, OPTIMIZE, OPTIONS, PARTITION, REPLACED,
    REPAIR, RESTORE, RETAIN, REWRITE, REWRITES, RUN, SKIPPING, SORT, STATISTICS, TABLE, TO, VACUUM, WHERE, ZORDER,
    // Words after which an expression goes on, such as AND.
    OPERATOR,
    // All other words, whole numbers among them.
    WORD,
    NUMBER, QUOTED_IDENTIFIER, STRING,
    LEFT_PAREN, RIGHT_PAREN, RIGHT_BRACKET, COMMA, DOT, EQ, MINUS, COLON, QUESTION, SEMICOLON,
    OTHER
}

singleStatement
    : statement SEMICOLON* EOF
    ;

statement
    : EXPLAIN how=explainMode? command                                                 #explain
    | command                                                                          #run
    ;

// OPTIMIZE without ZORDER. Delta's parser reads it, too, and goes first: this is asked of what no other parser could read.
singleCompaction
    : (EXPLAIN how=explainMode?)? compaction SEMICOLON* EOF
    ;

compaction
    : OPTIMIZE TABLE? tableTarget (WHERE predicate)?
        (OPTIONS LEFT_PAREN (option (COMMA option)*)? RIGHT_PAREN)? (DRY RUN)?
    ;

explainMode
    : LOGICAL | FORMATTED | EXTENDED | CODEGEN | COST
    ;

command
    : OPTIMIZE TABLE? tableTarget (WHERE predicate)? ZORDER (BY columns)?
        (OPTIONS LEFT_PAREN (option (COMMA option)*)? RIGHT_PAREN)? (DRY RUN)?         #optimize
    | (DESCRIBE | DESC) LAYOUT EXTENDED? tableTarget
        (ON LEFT_PAREN (column (COMMA column)*)? RIGHT_PAREN)? (WHERE predicate)?      #describeLayout
    | ANALYZE TABLE tableTarget COMPUTE FILE STATISTICS
        (FOR (ALL COLUMNS | COLUMNS column (COMMA column)*))?                          #analyzeFileStatistics
    | EXPLAIN SKIPPING query                                                           #explainSkipping
    | ADVISE LAYOUT tableTarget (ON LEFT_PAREN (column (COMMA column)*)? RIGHT_PAREN)?
        (FOR workloadQuery (COMMA workloadQuery)*)? (WHERE predicate)?
        (OPTIONS LEFT_PAREN (option (COMMA option)*)? RIGHT_PAREN)?                    #adviseLayout
    | ALTER TABLE sortedTable sortBy                                                   #sortTable
    | (DESCRIBE | DESC) REWRITES tableTarget                                           #describeRewrites
    | RESTORE TABLE? tableTarget TO? BEFORE REWRITE wholeNumber                        #restoreTable
    | VACUUM TABLE? tableTarget REPLACED FILES (RETAIN wholeNumber HOURS)? (DRY RUN)?   #vacuumReplacedFiles
    | FSCK REPAIR TABLE? tableTarget (DRY RUN)?                                        #repairTable
    ;

wholeNumber
    : WORD
    | parameterMarker
    ;

sortedTable
    : identifierClause
    | name
    ;

sortBy
    : SORT BY (LEXICAL | ZORDER)? LEFT_PAREN (column (COMMA column)*)? RIGHT_PAREN
    ;

// The clause of CREATE TABLE, whose other clauses the parser below reads (see SortClause.scala).
sortClause
    : sortBy EOF
    ;

// By what it begins with a statement is known to be ours, whatever is wrong with the rest. A text that another parser might
// read is not: `OPTIMIZE zorder`, `OPTIMIZE t WHERE zorder = 1`, `DESCRIBE layout AS JSON`.
ourText
    : beginning .*? EOF
    | (EXPLAIN explainMode?)? OPTIMIZE TABLE? tableTarget WHERE .*? operandEnd ZORDER SEMICOLON* EOF
    ;

// What an expression can end with: a ZORDER after it is no part of it.
operandEnd
    : WORD | NUMBER | QUOTED_IDENTIFIER | STRING | RIGHT_PAREN | RIGHT_BRACKET | QUESTION | AS | PARTITION | commonWord
    ;

beginning
    : EXPLAIN (EXPLAIN | explainMode)* SKIPPING
    | (EXPLAIN explainMode?)? OPTIMIZE .*? ZORDER BY
    | (EXPLAIN explainMode?)? OPTIMIZE TABLE? tableTarget ZORDER
    | (EXPLAIN explainMode?)? OPTIMIZE TABLE? tableTarget WHERE .*? ZORDER (OPTIONS LEFT_PAREN | DRY RUN)
    | (EXPLAIN explainMode?)? ALTER TABLE sortedTable SORT BY
    | (EXPLAIN explainMode?)? (DESCRIBE | DESC) LAYOUT describedTable
    | (EXPLAIN explainMode?)? (DESCRIBE | DESC) REWRITES describedTable
    | (EXPLAIN explainMode?)? RESTORE TABLE? tableTarget TO? BEFORE
    | (EXPLAIN explainMode?)? VACUUM TABLE? tableTarget REPLACED
    | (EXPLAIN explainMode?)? FSCK REPAIR
    | (EXPLAIN explainMode?)? ADVISE LAYOUT
    // Nobody else's: Spark has COMPUTE STATISTICS, Databricks COMPUTE DELTA STATISTICS.
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

workloadQuery
    : LEFT_PAREN enclosedQuery RIGHT_PAREN
    ;

// Parsed as `query` is, in parentheses of the statement's.
enclosedQuery
    : balanced+
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
    | MINUS? (WORD | keyword)
    ;

name
    : namePart (DOT namePart)*
    ;

// A part of a name may be a text, as in Spark: IDENTIFIER('db').t. Where it is the whole name it is an identifierClause.
namePart
    : identifier
    | IDENTIFIER LEFT_PAREN (STRING | parameterMarker)+ RIGHT_PAREN
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
    : commonWord | OPERATOR
    ;

commonWord
    : ADVISE | ALL | ALTER | ANALYZE | BEFORE | BY | CODEGEN | COLUMNS | COMPUTE | COST | DESC | DESCRIBE | DRY | EXPLAIN
    | EXTENDED | FILE | FILES | FOR | FORMATTED | FSCK | HOURS | IDENTIFIER | LAYOUT | LEXICAL | LOGICAL | ON | OPTIMIZE
    | OPTIONS | REPAIR | REPLACED | RESTORE | RETAIN | REWRITE | REWRITES | RUN | SKIPPING | SORT | STATISTICS | TABLE | TO
    | VACUUM | ZORDER
    ;
