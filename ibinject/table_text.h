/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of debugfs: "# glass 1 KIND: COLUMN COLUMN ...", then a line for each object. */
#ifndef IBINJECT_TABLE_TEXT_H
#define IBINJECT_TABLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The value of a column in one line of the table. False: no such column, or the line is none. */
bool table_value(const char *table, const char *line, const char *column, char *to, size_t size);

/* Writes one line of the table as "COLUMN=VALUE ...", with a newline. What is "-" is left out. */
void table_print(FILE *to, const char *table, const char *line);

#endif
