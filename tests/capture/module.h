/* SPDX-License-Identifier: MIT */
#ifndef UE__TESTS_CAPTURE_MODULE_H
#define UE__TESTS_CAPTURE_MODULE_H

/* A shared object with one event; it exports this as "module". */
struct module {
	int (*write)(int fd, int value);
	int (*register_own)(int fd);
	int (*unregister_own)(void);
};

extern const struct module linked;

#endif
