/* SPDX-License-Identifier: MIT */
#define Id unsigned int

provider shop {
	/* Its name has two words, and its path is not terminated. */
	probe request__start(Id number, const char *path, int pathlen);
	probe request__done(int, unsigned long long, string, void *);
	probe idle();
};

#pragma D attributes Evolving/Evolving/Common provider shop provider
