/* SPDX-License-Identifier: MIT */
/* Mapped code of recordings that are made to cost time or memory. */
#include "test.h"

#include <string.h>

#include "common/stacks/stacks.h"

#define MANY 100000u
#define MAPS_MOST (1u << 20)
#define BYTES_MOST (32u << 20)

static struct module *module_of_inode(const char *path, uint64_t inode)
{
	const struct module_identity identity = { .inode = inode };

	return module_of(path, strlen(path), &identity);
}

static struct module *module_of_build(const char *path, uint32_t number)
{
	struct module_identity identity = { .build_id_size = sizeof(number) };

	memcpy(identity.build_id, &number, sizeof(number));
	return module_of(path, strlen(path), &identity);
}

/* In time that their number limits, not its square. */
static void many_files_may_have_one_path(void **state)
{
	static struct module *made[2][MANY];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		made[0][i] = module_of_inode("/x", i + 1);
		made[1][i] = module_of_build("/x", i + 1);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_ptr_equal(module_of_inode("/x", i + 1), made[0][i]);
		assert_ptr_equal(module_of_build("/x", i + 1), made[1][i]);
		assert_ptr_equal(module_known("/x", i + 1), made[0][i]);
		assert_int_equal(made[0][i]->identity.inode, i + 1);
		assert_int_equal(made[1][i]->identity.inode, 0);
	}
	assert_null(module_known("/x", MANY + 1));
	assert_null(module_known("/y", 1));
}

static int is_mapped(struct code_maps *maps, uint64_t process)
{
	struct stack_frame frame = { .address = 0x1004 };

	code_maps_find(maps, process, 0, &frame);
	return frame.module != NULL;
}

static void processes_that_ended_make_room(void **state)
{
	struct code_map map = { .begin = 0x1000, .end = 0x2000, .module = module_of_inode("/p", 1) };
	struct code_maps maps = { .count = 0 };
	const uint32_t kept = MAPS_MOST / 2; /* each costs a process and a mapping */

	(void)state;
	for (uint32_t pid = 1; pid <= kept; pid++)
		code_maps_add(&maps, pid, &map);
	for (uint32_t pid = 2; pid < kept / 8; pid++)
		code_maps_exit(&maps, pid);
	code_maps_add(&maps, MAPS_MOST, &map);
	assert_true(is_mapped(&maps, MAPS_MOST));
	assert_true(is_mapped(&maps, 1));
	assert_true(is_mapped(&maps, kept / 8));
	assert_false(is_mapped(&maps, 3));
	code_maps_free(&maps);
}

/* Rings do not tell that a process ended, and have any number of them. */
static void processes_that_are_not_used_make_room(void **state)
{
	struct code_map map = {
		.begin = 0x1000, .end = 0x2000, .module = module_of_inode("/p", 1),
	};
	struct code_maps maps = { .count = 0 };
	const uint64_t others = UINT64_C(1) << 32;

	(void)state;
	code_maps_add(&maps, 1, &map);
	for (uint64_t i = 0; i < 2 * (uint64_t)MAPS_MOST; i++) {
		code_maps_add(&maps, others + i, &map);
		assert_true(is_mapped(&maps, others + i));
		assert_true(is_mapped(&maps, 1));
	}
	assert_false(is_mapped(&maps, others));
	assert_true(maps.map_count + maps.count <= MAPS_MOST);
	for (uint64_t i = 2; i < MAPS_MOST; i++)
		code_maps_fork(&maps, 1, i, 1);
	assert_true(is_mapped(&maps, 1));
	assert_true(is_mapped(&maps, MAPS_MOST - 1));
	assert_true(maps.map_count + maps.count <= MAPS_MOST);
	code_maps_free(&maps);
}

/* The last test: all later modules are others. */
static void modules_have_bounded_memory(void **state)
{
	const struct module *known = module_of_inode("/known", 1), *other = NULL;
	char path[4096];
	uint32_t made = 0;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	while (made < BYTES_MOST / sizeof(path) + 1 && (!other || strcmp(other->path, "//other")))
		other = module_of_inode(path, ++made);
	assert_string_equal(other->path, "//other");
	assert_ptr_equal(module_of_inode(path, made + 1), other);
	assert_ptr_equal(module_of_inode("/known", 1), known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_files_may_have_one_path),
		cmocka_unit_test(processes_that_ended_make_room),
		cmocka_unit_test(processes_that_are_not_used_make_room),
		cmocka_unit_test(modules_have_bounded_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
