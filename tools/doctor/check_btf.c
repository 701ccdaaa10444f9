/* SPDX-License-Identifier: MIT */
/*
 * Reports on the kernel's type information (BTF) through libbpf, which is opened at run
 * time and not needed for anything else.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linux/bpf.h>
#include <linux/btf.h>

#include "cli/memory.h"
#include "report.h"

struct btf;

/* As in bpf/btf.h and bpf/libbpf.h of libbpf 1.0. */
struct libbpf {
	struct btf *(*load)(void);
	void (*free)(struct btf *);
	int32_t (*find)(const struct btf *, const char *name, uint32_t kind);
	const struct btf_type *(*type)(const struct btf *, uint32_t id);
	const char *(*name)(const struct btf *, uint32_t offset);
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
	    !look_up(handle, "btf__load_vmlinux_btf", &bpf->load) ||
	    !look_up(handle, "btf__free", &bpf->free) ||
	    !look_up(handle, "btf__find_by_name_kind", &bpf->find) ||
	    !look_up(handle, "btf__type_by_id", &bpf->type) ||
	    !look_up(handle, "btf__name_by_offset", &bpf->name) ||
	    !look_up(handle, "libbpf_probe_bpf_prog_type", &bpf->probe_program))
		return -1;
	set_print(say_nothing);
	return 0;
}

/* The names of members or values, with commas between them. */
static char *list_of(const struct libbpf *bpf, const struct btf *btf,
		     const struct btf_type *type)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);
	const struct btf_enum *values = (const struct btf_enum *)(type + 1);
	int is_enum = BTF_INFO_KIND(type->info) == BTF_KIND_ENUM;
	char *list = xstrdup("");

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const char *name = bpf->name(btf, is_enum ? values[i].name_off :
							    members[i].name_off);

		list = xprintf("%s%s%s", list, i ? ", " : "", name ? name : "?");
		if (is_enum)
			list = xprintf("%s=%d", list, values[i].val);
	}
	return list;
}

static const struct btf_type *find(const struct libbpf *bpf, const struct btf *btf,
				   const char *name, uint32_t kind)
{
	int32_t id = bpf->find(btf, name, kind);

	return id > 0 ? bpf->type(btf, (uint32_t)id) : NULL;
}

static void report_types(struct doctor *doctor, const struct libbpf *bpf,
			 const struct btf *btf)
{
	const struct btf_type *type = find(bpf, btf, "user_reg", BTF_KIND_STRUCT);

	if (type)
		doctor_note(doctor, "btf", UE_ANSWER_YES,
			    xprintf("BTF: struct user_reg has %u bytes: %s", type->size,
				    list_of(bpf, btf, type)),
			    type->size == 28 ? "the enable address of Linux 6.4 and later" :
			    type->size == 20 ? "the interface before Linux 6.4" :
			    "an interface that this version does not know", NULL);
	else
		doctor_note(doctor, "btf", UE_ANSWER_NO, "BTF has no struct user_reg",
			    "the kernel was built without user_events", NULL);
	/* the enum has had a name since its first flag */
	type = find(bpf, btf, "user_reg_flag", BTF_KIND_ENUM);
	if (type)
		doctor_note(doctor, "btf", UE_ANSWER_YES,
			    xprintf("BTF: flags %s", list_of(bpf, btf, type)), NULL, NULL);
}

static void report_programs(struct doctor *doctor, int result)
{
	if (result > 0)
		doctor_note(doctor, "bpf", UE_ANSWER_YES,
			    "BPF programs can be attached to tracepoints",
			    "bpftrace attaches to user events, but Linux 6.1 and 6.12 run no "
			    "program for them", NULL);
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

void doctor_btf(struct doctor *doctor)
{
	struct libbpf bpf;
	struct btf *btf;

	if (*doctor->root)
		return;
	if (open_libbpf(&bpf)) {
		doctor_note(doctor, "btf", UE_ANSWER_NOT_ASKED, "libbpf is not installed",
			    "the kernel's type information was not looked at; nothing else needs "
			    "it", "apt-get install libbpf1");
		return;
	}
	btf = bpf.load();
	if (btf) {
		report_types(doctor, &bpf, btf);
		bpf.free(btf);
	} else {
		doctor_note(doctor, "btf", UE_ANSWER_UNKNOWN,
			    xprintf("The kernel's type information cannot be read (%s)",
				    strerror(errno)),
			    "it was built without CONFIG_DEBUG_INFO_BTF, which nothing here needs",
			    NULL);
	}
	report_programs(doctor, bpf.probe_program(BPF_PROG_TYPE_TRACEPOINT, NULL));
}
