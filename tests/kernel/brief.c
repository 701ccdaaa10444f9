/* SPDX-License-Identifier: MIT */
/*
 * A program that ends within milliseconds: registers its three events, one of them that
 * of a shared library, and writes each once.
 */
#include <userevents/userevents.h>

int brief_library_write(int fd);

UE_EVENT(brief_number, UE_U32(number));
UE_EVENT(brief_end, UE_U32(number));

int main(void)
{
	int fd = ue_open(NULL);

	if (fd < 0 || ue_register_all(fd))
		return 1;
	UE_WRITE(fd, brief_number, 7);
	UE_WRITE(fd, brief_end, 7);
	return brief_library_write(fd) ? 1 : 0;
}
