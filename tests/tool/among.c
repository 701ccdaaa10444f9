/* SPDX-License-Identifier: MIT */
/*
 * Its parts have three events of one name, which are listed in the order of their fields. The
 * one in the middle may share the name; the others are in each other's way.
 */
int main(void)
{
	return 0;
}
