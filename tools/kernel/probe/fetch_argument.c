/* SPDX-License-Identifier: MIT */
/* Checks the expression of an argument: what is fetched, and whether this probe has it.
 */
#include "fetch_argument.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* As the kernel's PARAM_MAX_STACK, with stacks of 16 KiB. */
#define STACK_MAX 2048

static size_t place_of(const struct fetching *fetching, const char *at)
{
	return (size_t)(at - fetching->probe->text);
}

static struct part after(struct part text, size_t count)
{
	return (struct part){ text.at + count, text.length - count };
}

static int begins_with(struct part text, const char *prefix)
{
	return text.length >= strlen(prefix) && !memcmp(text.at, prefix, strlen(prefix));
}

#define FAULT(fetching, text, ...)                                                       \
	fault_at((fetching)->fault, place_of(fetching, (text).at), __VA_ARGS__)

/* Decimal alone: the kernel reads these so. */
static int decimal(struct part text, uint64_t *number)
{
	return !text.length || (text.length > 1 && *text.at == '0') || text.at[0] < '0' ||
			       text.at[0] > '9' ?
		       -1 :
		       part_number(text, number);
}

static int check_register(const struct fetching *fetching, struct part text)
{
	char *name = part_text(after(text, 1));
	const char *near = register_meant(name);
	int result = 0;

	if (fetching->probe->kind == PROBE_EVENT)
		result = FAULT(fetching, text,
			       "an event has no registers; take its fields: $FIELD");
	else if (!register_exists(name) && near)
		result = FAULT(fetching, text,
			       "there is no register \"%s\"; did you mean \"%%%s\"?",
			       name, near);
	else if (!register_exists(name))
		result = FAULT(fetching, text, "there is no register \"%s\"", name);
	free(name);
	return result;
}

/* Names with '$' */

static int check_retval(const struct fetching *fetching, struct part text)
{
	const struct probe *probe = fetching->probe;

	if (!probe->is_return)
		return FAULT(fetching, text,
			     "$retval is of returns: begin with \"r\", or put "
			     "%%return behind the function");
	if (probe->is_address)
		return FAULT(fetching, text,
			     "the kernel has $retval only for functions that are "
			     "given by name");
	return 0;
}

/* The kernel has no register for arguments of programs. */
static int complain_of_program(const struct fetching *fetching, struct part text,
			       uint64_t n)
{
	const char *name = n <= 6 ? register_of_argument((unsigned)n) : NULL;

	if (name)
		return FAULT(fetching, text,
			     "$argN is of functions of the kernel; in a program, "
			     "argument %d is in %%%s at the entry",
			     (int)n, name);
	return FAULT(fetching, text,
		     "$argN is of functions of the kernel; in a program, take a "
		     "register");
}

static int check_numbered(const struct fetching *fetching, struct part text,
			  enum fetched *fetched)
{
	const struct probe *probe = fetching->probe;
	uint64_t n;

	if (decimal(after(text, 4), &n) || !n || n > STACK_MAX)
		return FAULT(fetching, text,
			     "an argument of a function is $arg1, $arg2, ...");
	if (probe->kind == PROBE_PROGRAM)
		return complain_of_program(fetching, text, n);
	if (probe->is_address)
		return FAULT(fetching, text,
			     "the kernel has $argN only for functions that are given "
			     "by name");
	if (probe->offset)
		return FAULT(fetching, text,
			     "$argN is of the entry of a function; at an offset, take "
			     "a register");
	if (probe->is_return && !fetching->grammar->has_entry_arguments)
		return FAULT(fetching, text,
			     "this kernel has $argN at the entry of a function alone; "
			     "add a probe \"p\" for it");
	*fetched = probe->is_return ? FETCHED_ENTRY : FETCHED_VALUE;
	return 0;
}

static int check_stack(const struct fetching *fetching, struct part text,
		       enum fetched *fetched)
{
	uint64_t n;

	*fetched = text.length == 6 ? FETCHED_ADDRESS : FETCHED_VALUE;
	if (text.length > 6 && (decimal(after(text, 6), &n) || n > STACK_MAX))
		return FAULT(fetching, text,
			     "an entry of the stack is $stack0, $stack1, ...");
	return 0;
}

static int complain_of_field(const struct fetching *fetching, struct part text)
{
	char *name = part_text(after(text, 1));
	char *near = attached_field_meant(fetching->format, name);

	if (near)
		FAULT(fetching, text,
		      "the event has no field \"%s\"; did you mean \"$%s\"?", name, near);
	else
		FAULT(fetching, text, "the event has no field \"%s\"", name);
	free(near);
	free(name);
	return -1;
}

static int check_field(const struct fetching *fetching, struct part text,
		       enum fetched *fetched)
{
	switch (attached_field(fetching->format, after(text, 1))) {
	case FIELD_NUMBER:
		*fetched = FETCHED_FIELD;
		return 0;
	case FIELD_TEXT:
	case FIELD_TEXT_RELATIVE:
		*fetched =
			attached_field(fetching->format, after(text, 1)) == FIELD_TEXT ?
				FETCHED_FIELD_TEXT :
				FETCHED_FIELD_RELATIVE;
		if (fetching->grammar->knows_user_texts ||
		    !begins_with(fetching->probe->module, "user_events"))
			return 0;
		return FAULT(fetching, text,
			     "this kernel does not know that the field \"%.*s\" is "
			     "text; Linux 6.4 does",
			     (int)text.length - 1, text.at + 1);
	case FIELD_OTHER:
		return FAULT(fetching, text,
			     "the field \"%.*s\" is an array or a struct, of which the "
			     "kernel would fetch a wrong number",
			     (int)text.length - 1, text.at + 1);
	case FIELD_NONE:
		break;
	}
	if (!part_is(text, "$comm") && !part_is(text, "$COMM"))
		return complain_of_field(fetching, text);
	*fetched = FETCHED_COMM;
	return 0;
}

static int check_dollar(const struct fetching *fetching, struct part text,
			enum fetched *fetched)
{
	if (fetching->probe->kind == PROBE_EVENT)
		return check_field(fetching, text, fetched);
	*fetched = FETCHED_VALUE;
	if (part_is(text, "$retval"))
		return check_retval(fetching, text);
	if (part_is(text, "$comm") || part_is(text, "$COMM")) {
		*fetched = FETCHED_COMM;
		return 0;
	}
	if (part_is(text, "$arg*") && fetching->grammar->has_variables) {
		*fetched = FETCHED_VARIABLE;
		return 0;
	}
	if (begins_with(text, "$stack"))
		return check_stack(fetching, text, fetched);
	if (begins_with(text, "$arg"))
		return check_numbered(fetching, text, fetched);
	return FAULT(fetching, text,
		     "there is no \"%.*s\": $argN, $retval, $stack, $stackN, $comm",
		     (int)text.length, text.at);
}

/* "@ADDRESS", "@SYMBOL+8", "@+OFFSET" */
static int check_at(const struct fetching *fetching, struct part text, unsigned *steps)
{
	const int is_program = fetching->probe->kind == PROBE_PROGRAM;
	const struct part rest = after(text, 1);
	const int is_number = rest.length && *rest.at >= '0' && *rest.at <= '9';
	const int is_offset = rest.length && *rest.at == '+';
	size_t length = 0;
	uint64_t number;

	*steps += 1 + !(is_number || is_offset);
	if (is_number)
		return part_number(rest, &number) ?
			       FAULT(fetching, text, "\"%.*s\" is no address",
				     (int)rest.length, rest.at) :
			       0;
	if (is_offset && !is_program)
		return FAULT(fetching, text,
			     "offsets in a file are for programs; give an address or "
			     "a symbol");
	if (is_offset)
		return part_number(after(rest, 1), &number) ?
			       FAULT(fetching, after(rest, 1),
				     "\"%.*s\" is no offset in the file",
				     (int)rest.length - 1, rest.at + 1) :
			       0;
	if (is_program)
		return FAULT(fetching, text,
			     "symbols are for functions of the kernel; give an "
			     "address, or @+OFFSET in the file");
	while (length < rest.length && rest.at[length] != '+' && rest.at[length] != '-')
		length++;
	if (!length)
		return FAULT(fetching, text, "an address or a symbol must follow '@'");
	return length < rest.length && part_number(after(rest, length + 1), &number) ?
		       FAULT(fetching, after(rest, length + 1), "\"%.*s\" is no offset",
			     (int)(rest.length - length - 1), rest.at + length + 1) :
		       0;
}

static int check_immediate(const struct fetching *fetching, struct part text,
			   enum fetched *fetched)
{
	struct part digits = after(text, 1);
	uint64_t number;

	*fetched = FETCHED_IMMEDIATE;
	if (digits.length && *digits.at == '"') {
		*fetched = FETCHED_TEXT;
		return digits.length > 1 && digits.at[digits.length - 1] == '"' ?
			       0 :
			       FAULT(fetching, after(text, text.length),
				     "'\"' is missing; a text has "
				     "no blanks, as these end an argument");
	}
	if (digits.length && (*digits.at == '-' || *digits.at == '+'))
		digits = after(digits, 1);
	return part_number(digits, &number) ?
		       FAULT(fetching, after(text, 1), "\"%.*s\" is no number",
			     (int)text.length - 1, text.at + 1) :
		       0;
}

/* "+8(...)", "-u4(...)" */
static int check_memory(const struct fetching *fetching, struct part text,
			enum fetched *fetched, unsigned *steps)
{
	const char *open = memchr(text.at, '(', text.length);
	const int is_user = text.length > 1 && text.at[1] == 'u';
	struct part offset, inner;
	uint64_t number;

	if (!open)
		return FAULT(fetching, text, "memory is fetched by %.1sOFFSET(ARGUMENT)",
			     text.at);
	offset = after((struct part){ text.at, (size_t)(open - text.at) },
		       is_user ? 2 : 1);
	if (part_number(offset, &number) || number > INT64_MAX)
		return FAULT(fetching, offset,
			     "\"%.*s\" is no offset: a decimal number, or 0x",
			     (int)offset.length, offset.at);
	if (text.at[text.length - 1] != ')')
		return FAULT(fetching, after(text, text.length), "')' is missing");
	inner = (struct part){ open + 1, (size_t)(text.at + text.length - 1 - open - 1) };
	if (fetch_check(fetching, inner, fetched, steps))
		return -1;
	if (*fetched == FETCHED_COMM || *fetched == FETCHED_TEXT)
		return FAULT(fetching, inner, "%s is no address",
			     *fetched == FETCHED_COMM ? "$comm" : "a text");
	if (*fetched == FETCHED_FIELD_RELATIVE && (*text.at == '-' || number < 4))
		return FAULT(fetching, offset,
			     "the kernel looks for this field 4 bytes too early: "
			     "the offset is 4 at least");
	(*steps)++;
	*fetched = is_user ? FETCHED_USER_MEMORY : FETCHED_MEMORY;
	return 0;
}

/* Names of variables, with members: only a kernel with BTF knows them. */
static int check_variable(const struct fetching *fetching, struct part text,
			  enum fetched *fetched)
{
	*fetched = FETCHED_VARIABLE;
	if (fetching->grammar->has_variables && fetching->probe->kind == PROBE_FUNCTION &&
	    text.length && (part_is_name((struct part){ text.at, 1 })))
		return 0;
	return FAULT(fetching, text,
		     text.length ? "\"%.*s\" is no argument: %%REGISTER, $argN, "
				   "$retval, $stackN, $comm, @ADDRESS, @SYMBOL, "
				   "+OFFSET(ARGUMENT), \\NUMBER" :
				   "an argument is missing%.*s",
		     (int)text.length, text.at);
}

int fetch_check(const struct fetching *fetching, struct part text, enum fetched *fetched,
		unsigned *steps)
{
	*fetched = FETCHED_VALUE;
	switch (text.length ? *text.at : '\0') {
	case '%':
		return check_register(fetching, text);
	case '$':
		return check_dollar(fetching, text, fetched);
	case '@':
		*fetched = FETCHED_MEMORY;
		return check_at(fetching, text, steps);
	case '\\':
		return check_immediate(fetching, text, fetched);
	case '+':
	case '-':
		return check_memory(fetching, text, fetched, steps);
	default:
		return check_variable(fetching, text, fetched);
	}
}
