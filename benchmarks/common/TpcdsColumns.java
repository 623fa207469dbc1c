// SPDX-License-Identifier: Apache-2.0

import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;

/** Prints the columns of all tables of the generator of TPC-DS, a line for each: table, column, type in SQL. */
public class TpcdsColumns {
  public static void main(String[] arguments) {
    for (Table table : Table.getBaseTables()) {
      for (Column column : table.getColumns()) {
        System.out.println(table.getName() + "|" + column.getName() + "|" + sql(column));
      }
    }
  }

  private static String sql(Column column) {
    ColumnType type = column.getType();
    switch (type.getBase()) {
      case IDENTIFIER:
        return column.getName().endsWith("_number") ? "BIGINT" : "INT";
      case DECIMAL:
        return "DECIMAL(" + type.getPrecision().get() + ", " + type.getScale().get() + ")";
      case DATE:
        return "DATE";
      case INTEGER:
        return "INT";
      default:
        return "STRING";
    }
  }
}
