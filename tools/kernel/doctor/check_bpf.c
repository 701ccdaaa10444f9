/* SPDX-License-Identifier: MIT */
/*
 * Reports on BPF programs through libbpf, which is opened at run time.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

#include <linux/bpf.h>

#include "common/cli/memory.h"
#include "report.h"

/* As in bpf/libbpf.h of libbpf 1.0. */
struct libbpf {
	int (*probe_program)(enum bpf_prog_type, const void *opts);
};

/* ISO C has no conversion of an object's address to a function's. */
static int look_up(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static int say_nothing(int level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static int open_libbpf(struct libbpf *bpf)
{
	void *handle = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*set_print)(int (*)(int, const char *, va_list));

	if (!handle || !look_up(handle, "libbpf_set_print", &set_print) ||
	    !look_up(handle, "libbpf_probe_bpf_prog_type", &bpf->probe_program))
		return -1;
	set_print(say_nothing);
	return 0;
}

static void report_programs(struct doctor *doctor, int result)
{
	if (result > 0)
		doctor_note(doctor, "bpf", UE_ANSWER_NO,
			    "BPF programs run for other tracepoints, not for user events",
			    "bpftrace attaches to them, but Linux 6.1 and 6.12 run no program for "
			    "them", NULL);
	else if (result < 0)
		doctor_note(doctor, "bpf", UE_ANSWER_UNKNOWN,
			    xprintf("Whether BPF programs can be loaded cannot be told (%s)",
				    strerror(-result)), "it may take root", NULL);
	else
		doctor_note(doctor, "bpf", UE_ANSWER_NO,
			    "No BPF program can be attached to a tracepoint",
			    "bpftrace needs a kernel with CONFIG_BPF_EVENTS, and root or CAP_BPF",
			    NULL);
}

void doctor_bpf(struct doctor *doctor)
{
	struct libbpf bpf;

	if (*doctor->root)
		return;
	if (!open_libbpf(&bpf))
		report_programs(doctor, bpf.probe_program(BPF_PROG_TYPE_TRACEPOINT, NULL));
	else
		doctor_note(doctor, "bpf", UE_ANSWER_NOT_ASKED, "libbpf is not installed",
			    "it is needed only where the interface cannot be tested directly: its "
			    "features are then read from the kernel's type information",
			    "apt-get install libbpf1");
}
