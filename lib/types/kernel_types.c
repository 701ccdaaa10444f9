/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel's type information (BTF) through libbpf.
 *
 * The library itself needs libc alone, so libbpf is opened at run time, and closed again; most
 * programs never come here. libbpf checks the bounds of all that it loads.
 *
 * The flags are the enumerators of enum user_reg_flag, but not each is one that a program may
 * give: Linux 6.4 to 6.6 have USER_EVENT_REG_PERSIST in their own source, and refuse it. The
 * enum of 6.7 and 6.8 is the same. USER_EVENT_REG_MULTI_FORMAT came with 6.9, which accepts
 * both; before, the function that checks the right to persist shows 6.7, unless the compiler
 * has made it part of its callers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/btf.h>

#include "kernel_types.h"

struct btf;
typedef int print_function(int level, const char *format, va_list arguments);

/* The names are those of bpf/btf.h and bpf/libbpf.h of libbpf 1.0. */
struct libbpf {
	void *handle;
	print_function *(*set_print)(print_function *print);
	struct btf *(*load)(void);
	struct btf *(*parse)(const char *path, struct btf **extension);
	void (*free)(struct btf *btf);
	int32_t (*find)(const struct btf *btf, const char *name, uint32_t kind);
	const struct btf_type *(*type)(const struct btf *btf, uint32_t id);
	const char *(*name)(const struct btf *btf, uint32_t offset);
};

static const struct {
	const char *name;
	size_t place;
} symbols[] = {
	{ "libbpf_set_print", offsetof(struct libbpf, set_print) },
	{ "btf__load_vmlinux_btf", offsetof(struct libbpf, load) },
	{ "btf__parse", offsetof(struct libbpf, parse) },
	{ "btf__free", offsetof(struct libbpf, free) },
	{ "btf__find_by_name_kind", offsetof(struct libbpf, find) },
	{ "btf__type_by_id", offsetof(struct libbpf, type) },
	{ "btf__name_by_offset", offsetof(struct libbpf, name) },
};

static int open_libbpf(struct libbpf *bpf)
{
	bpf->handle = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!bpf->handle)
		return -ENOSYS;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(bpf->handle, symbols[i].name);

		/* ISO C has no conversion of an object's address to a function's. */
		memcpy((char *)bpf + symbols[i].place, &symbol, sizeof(symbol));
		if (!symbol) {
			dlclose(bpf->handle);
			return -ENOSYS;
		}
	}
	return 0;
}

/* libbpf prints errors, which the library never does. */
static int print_nothing(int level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static const struct btf_type *find(const struct libbpf *bpf, const struct btf *btf,
				   const char *name, uint32_t kind)
{
	int32_t id = bpf->find(btf, name, kind);

	return id > 0 ? bpf->type(btf, (uint32_t)id) : NULL;
}

static int is_name(const struct libbpf *bpf, const struct btf *btf, uint32_t offset,
		   const char *wanted)
{
	const char *name = bpf->name(btf, offset);

	return name && !strcmp(name, wanted);
}

static int has_member(const struct libbpf *bpf, const struct btf *btf,
		      const struct btf_type *type, const char *name)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++)
		if (is_name(bpf, btf, members[i].name_off, name))
			return 1;
	return 0;
}

static int has_enumerator(const struct libbpf *bpf, const struct btf *btf,
			  const struct btf_type *type, const char *name)
{
	const struct btf_enum *values = (const struct btf_enum *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++)
		if (is_name(bpf, btf, values[i].name_off, name))
			return 1;
	return 0;
}

static enum ue__generation generation_of(const struct libbpf *bpf, const struct btf *btf)
{
	static const struct {
		const char *member;
		uint32_t size;
		enum ue__generation generation;
	} known[] = {
		{ "enable_addr", 28, UE__GENERATION_ADDRESS },
		{ "status_bit", 20, UE__GENERATION_BIT },
		{ "status_index", 20, UE__GENERATION_BYTE },
	};
	const struct btf_type *type = find(bpf, btf, "user_reg", BTF_KIND_STRUCT);

	if (!type)
		return UE__GENERATION_NONE;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (type->size >= known[i].size &&
		    has_member(bpf, btf, type, known[i].member))
			return known[i].generation;
	return UE__GENERATION_OTHER;
}

static void find_flags(struct ue__kernel_types *types, const struct libbpf *bpf,
		       const struct btf *btf)
{
	const struct btf_type *type = find(bpf, btf, "user_reg_flag", BTF_KIND_ENUM);

	types->persist = types->multi_format = UE__KNOWN_MAYBE;
	if (type && has_enumerator(bpf, btf, type, "USER_EVENT_REG_MULTI_FORMAT"))
		types->persist = types->multi_format = UE__KNOWN_YES;
	else if (type)
		types->multi_format = UE__KNOWN_NO;
	if (types->persist == UE__KNOWN_MAYBE &&
	    find(bpf, btf, "user_event_capable", BTF_KIND_FUNC))
		types->persist = UE__KNOWN_YES;
}

static void examine(struct ue__kernel_types *types, const struct libbpf *bpf,
		    const struct btf *btf)
{
	*types = (struct ue__kernel_types){ .generation = generation_of(bpf, btf) };
	if (types->generation == UE__GENERATION_ADDRESS)
		find_flags(types, bpf, btf);
	else if (types->generation == UE__GENERATION_OTHER)
		types->persist = types->multi_format = UE__KNOWN_MAYBE;
}

/* Another part of the program may use libbpf, too, and has its printer back at the end. */
int ue__kernel_types_read(struct ue__kernel_types *types, const char *path)
{
	print_function *printer;
	struct libbpf bpf;
	struct btf *btf;
	int result = open_libbpf(&bpf);

	if (result)
		return result;
	printer = bpf.set_print(print_nothing);
	btf = path ? bpf.parse(path, NULL) : bpf.load();
	if (btf) {
		examine(types, &bpf, btf);
		bpf.free(btf);
	} else {
		result = errno ? -errno : -ENODATA;
	}
	bpf.set_print(printer);
	dlclose(bpf.handle);
	return result;
}
