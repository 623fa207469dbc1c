// The statements that spark-zorder adds to Spark SQL. Everything else goes to the parser below (see Ownership.scala), so
// this grammar has no pass-through rule and its syntax errors are about its own statements only.
grammar ZOrderSqlBase;

options { caseInsensitive = true; }

singleStatement
    : statement ';'* EOF
    ;

statement
    : EXPLAIN how=(LOGICAL | FORMATTED | EXTENDED | CODEGEN | COST)? command   #explain
    | command                                                                  #run
    ;

command
    : OPTIMIZE tableTarget (WHERE predicate)? ZORDER BY columns
        (OPTIONS '(' (option (',' option)*)? ')')? (DRY RUN)?                  #optimize
    | (DESCRIBE | DESC) LAYOUT EXTENDED? tableTarget
        (ON '(' (columnPath (',' columnPath)*)? ')')? (WHERE predicate)?       #describeLayout
    | ANALYZE TABLE tableTarget COMPUTE FILE STATISTICS
        (FOR (ALL COLUMNS | COLUMNS columnPath (',' columnPath)*))?            #analyzeFileStatistics
    | EXPLAIN SKIPPING query                                                   #explainSkipping
    ;

tableTarget
    : path=STRING
    | columnPath
    ;

columns
    : '(' (columnPath (',' columnPath)*)? ')'
    | columnPath (',' columnPath)*
    ;

// Parsed by Spark's own expression parser from the text between the tokens.
predicate
    : .+?
    ;

// Parsed by the parser below, from the text as it stands.
query
    : ~';' .*?
    ;

option
    : optionKey '='? optionValue
    ;

optionKey
    : identifier ('.' identifier)*
    | STRING
    ;

optionValue
    : STRING
    | '-'? (NUMBER | IDENTIFIER)
    ;

columnPath
    : identifier ('.' identifier)*
    ;

identifier
    : IDENTIFIER
    | NUMBER
    | BACKQUOTED_IDENTIFIER
    | nonReserved
    ;

nonReserved
    : ALL | ANALYZE | BY | CODEGEN | COLUMNS | COMPUTE | COST | DESC | DESCRIBE | DRY | EXPLAIN | EXTENDED | FILE | FOR
    | FORMATTED | LAYOUT | LOGICAL | ON | OPTIMIZE | OPTIONS | RUN | SKIPPING | STATISTICS | TABLE | ZORDER
    ;

ALL: 'ALL';
ANALYZE: 'ANALYZE';
BY: 'BY';
CODEGEN: 'CODEGEN';
COLUMNS: 'COLUMNS';
COMPUTE: 'COMPUTE';
COST: 'COST';
DESC: 'DESC';
DESCRIBE: 'DESCRIBE';
DRY: 'DRY';
EXPLAIN: 'EXPLAIN';
EXTENDED: 'EXTENDED';
FILE: 'FILE';
FOR: 'FOR';
FORMATTED: 'FORMATTED';
LAYOUT: 'LAYOUT';
LOGICAL: 'LOGICAL';
ON: 'ON';
OPTIMIZE: 'OPTIMIZE';
OPTIONS: 'OPTIONS';
RUN: 'RUN';
SKIPPING: 'SKIPPING';
STATISTICS: 'STATISTICS';
TABLE: 'TABLE';
WHERE: 'WHERE';
ZORDER: 'ZORDER';

PARAMETER
    : ':' [A-Z_] [A-Z_0-9]*
    | '?'
    ;

STRING
    : 'R'? '\'' ( ~['\\] | '\\' . | '\'\'' )* '\''
    | 'R'? '"' ( ~["\\] | '\\' . | '""' )* '"'
    ;

NUMBER
    : [0-9]+
    ;

IDENTIFIER
    : [A-Z_0-9]+
    ;

BACKQUOTED_IDENTIFIER
    : '`' ( ~'`' | '``' )* '`'
    ;

SIMPLE_COMMENT
    : '--' ~[\r\n]* '\r'? '\n'? -> channel(HIDDEN)
    ;

BRACKETED_COMMENT
    : '/*' ( BRACKETED_COMMENT | . )*? '*/' -> channel(HIDDEN)
    ;

WS
    : [ \r\n\t]+ -> channel(HIDDEN)
    ;

OTHER
    : .
    ;
