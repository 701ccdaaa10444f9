/* SPDX-License-Identifier: MIT */
/* Structs, and arrays of them. */
#include <stdbool.h>

#include "write.h"

UE_EVENTHEADER(p5, structs,
	     UE_STRUCT(o, UE_U8(a),
			  UE_STRUCT(i, UE_STRING(b), UE_SEQUENCE(UE_U16(c))),
			  UE_NULLABLE(UE_S32(d)), UE_UUID(e)),
	     UE_U8(f), UE_STRUCT(p, UE_U16(g)));

static int event_structs(int fd)
{
	return UE_WRITE(fd, structs, 1, "b", SOME(uint16_t, 1, 2), 2, ONE(int32_t, -1),
			ones, 2, 3);
}

static int site_structs(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "structs",
		      UE_STRUCT(o, UE_U8(a, 1),
				   UE_STRUCT(i, UE_STRING(b, "b"),
						UE_SEQUENCE(UE_U16(
							c, SOME(uint16_t, 1, 2), 2))),
				   UE_NULLABLE(UE_S32(d, ONE(int32_t, -1))),
				   UE_UUID(e, ones)),
		      UE_U8(f, 2), UE_STRUCT(p, UE_U16(g, 3)));
}

static void build_structs(struct ue_builder *b)
{
	ue_builder_begin(b, "structs", 0);
	ue_builder_struct_begin(b, "o", 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_begin(b, "i", 0);
	ue_builder_string(b, "b", "b");
	ue_builder_add(b, "c", UE_ENCODING_VALUE16 | UE_ENCODING_VARRAY, 0,
		       SOME(uint16_t, 1, 2), 2);
	ue_builder_struct_end(b);
	ue_builder_add(b, "d", UE_ENCODING_BINARY_LENGTH16_CHAR8, UE_FORMAT_SIGNED_INT,
		       ONE(int32_t, -1), 4);
	ue_builder_add(b, "e", UE_ENCODING_VALUE128, UE_FORMAT_UUID, ones, 1);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "f", 2);
	ue_builder_struct_begin(b, "p", 0);
	ue_builder_u16(b, "g", 3);
	ue_builder_struct_end(b);
}

/* Eight deep */

UE_EVENTHEADER(p5, eight_deep,
	     UE_STRUCT(s1, UE_U8(a1),
	      UE_STRUCT(s2, UE_U8(a2),
	       UE_STRUCT(s3, UE_U8(a3),
		UE_STRUCT(s4, UE_U8(a4),
		 UE_STRUCT(s5, UE_U8(a5),
		  UE_STRUCT(s6, UE_U8(a6),
		   UE_STRUCT(s7, UE_U8(a7),
		    UE_STRUCT(s8, UE_STRING(v)),
		   UE_U8(b7)), UE_U8(b6)), UE_U8(b5)), UE_U8(b4)), UE_U8(b3)), UE_U8(b2)),
	      UE_U8(b1)),
	     UE_U16(last));

static int event_eight_deep(int fd)
{
	return UE_WRITE(fd, eight_deep, 1, 2, 3, 4, 5, 6, 7, "deep", 0x17, 0x16, 0x15,
			0x14, 0x13, 0x12, 0x11, 12345);
}

static int site_eight_deep(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "eight_deep",
		      UE_STRUCT(s1, UE_U8(a1, 1),
		       UE_STRUCT(s2, UE_U8(a2, 2),
			UE_STRUCT(s3, UE_U8(a3, 3),
			 UE_STRUCT(s4, UE_U8(a4, 4),
			  UE_STRUCT(s5, UE_U8(a5, 5),
			   UE_STRUCT(s6, UE_U8(a6, 6),
			    UE_STRUCT(s7, UE_U8(a7, 7),
			     UE_STRUCT(s8, UE_STRING(v, "deep")),
			    UE_U8(b7, 23)), UE_U8(b6, 22)), UE_U8(b5, 21)),
			  UE_U8(b4, 20)), UE_U8(b3, 19)), UE_U8(b2, 18)), UE_U8(b1, 17)),
		      UE_U16(last, 12345));
}

static void build_eight_deep(struct ue_builder *b)
{
	char name[] = "s1";

	ue_builder_begin(b, "eight_deep", 0);
	for (uint8_t i = 1; i <= 8; i++) {
		name[0] = 's';
		name[1] = (char)('0' + i);
		ue_builder_struct_begin(b, name, 0);
		name[0] = 'a';
		if (i < 8)
			ue_builder_u8(b, name, i);
	}
	ue_builder_string(b, "v", "deep");
	ue_builder_struct_end(b);
	name[0] = 'b';
	for (uint8_t i = 7; i; i--) {
		name[1] = (char)('0' + i);
		ue_builder_u8(b, name, (uint8_t)(0x10 + i));
		ue_builder_struct_end(b);
	}
	ue_builder_u16(b, "last", 12345);
}

/* Elements of fixed size */

struct point {
	int16_t x, y;
};

UE_EVENTHEADER(p5, points, UE_STRUCT_ARRAY(struct point, c, 2, UE_S16(x), UE_S16(y)),
	     UE_STRUCTS(struct point, v, UE_S16(x), UE_S16(y)),
	     UE_STRUCTS(struct point, n, UE_S16(x), UE_S16(y)), UE_U8(last));

static const struct point two_points[] = { { 1, -1 }, { 2, -2 } };
static const struct point three_points[] = { { 3, 4 }, { 5, 6 }, { 7, 8 } };

static int event_points(int fd)
{
	return UE_WRITE(fd, points, two_points, three_points, 3, NULL, 0, 42);
}

static void build_point(struct ue_builder *b, const struct point *point)
{
	ue_builder_s16(b, "x", point->x);
	ue_builder_s16(b, "y", point->y);
}

static void build_array(struct ue_builder *b, const char *name, uint8_t array,
			const struct point *point, size_t count)
{
	ue_builder_struct_begin(b, name, array);
	for (size_t i = 0; i < count; i++) {
		ue_builder_struct_next(b);
		build_point(b, &point[i]);
	}
	ue_builder_struct_end(b);
}

static void build_points(struct ue_builder *b)
{
	ue_builder_begin(b, "points", 0);
	build_array(b, "c", UE_ENCODING_CARRAY, two_points, 2);
	build_array(b, "v", UE_ENCODING_VARRAY, three_points, 3);
	ue_builder_struct_begin(b, "n", UE_ENCODING_VARRAY);
	build_point(b, two_points);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "last", 42);
}

/* Every kind of field in an element; a C array as an array or as a pointer. */

struct element {
	uint8_t u;
	double d;
	bool b;
	const void *at;
	uint8_t id[16];
	char s[4];
	const char *m, *n;
	const uint_least16_t *w;
	struct ue_span k, blob;
	const uint32_t *null;
	uint16_t fix[2];
	struct ue_span seq;
	uint16_t o;
	const void *p;
};

static const uint_least16_t a16[] = { 'A', 0 };
static const uint32_t seven[] = { 7 }, numbers[] = { 1, 2, 3 };

static const struct element elements_given[] = {
	{ 1, 0.5, true, AT,
	  { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
	    0x11, 0x11, 0x11 },
	  "one", "abcdef", "name", a16, { "k1", 2 }, { "\xff", 1 }, seven, { 1, 2 },
	  { numbers, 3 }, 9, "\xaa\xbb" },
	{ 2, 100, false, NULL,
	  { 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22,
	    0x22, 0x22, 0x22 },
	  "", NULL, NULL, NULL, { NULL, 0 }, { NULL, 0 }, NULL, { 3, 4 }, { NULL, 0 }, 10,
	  "\xcc\xdd" },
};

UE_EVENTHEADER(p5, elements,
	     UE_STRUCTS(struct element, e, UE_U8(u), UE_F64(d), UE_BOOL(b), UE_POINTER(at),
			UE_UUID(id), UE_STRING(s), UE_STRING_MAX(m, 3), UE_CHARS(n, 4),
			UE_STRING16(w), UE_COUNTED_STRING(k), UE_BLOB(blob),
			UE_NULLABLE(UE_U32(null)), UE_ARRAY(UE_U16(fix), 2),
			UE_SEQUENCE(UE_U32(seq)),
			UE_STRUCT(in, UE_U16(o), UE_BYTES(p, 2))),
	     UE_U8(last));

static int event_elements(int fd)
{
	return UE_WRITE(fd, elements, elements_given, COUNT(elements_given), 42);
}

static void build_strings(struct ue_builder *b, const struct element *e, int is_first)
{
	ue_builder_string(b, "s", e->s);
	ue_builder_string(b, "m", is_first ? "abc" : "");
	ue_builder_string(b, "n", is_first ? "nam" : "");
	ue_builder_add(b, "w", UE_ENCODING_ZSTRING_CHAR16, 0, e->w, is_first ? 1 : 0);
	ue_builder_add(b, "k", UE_ENCODING_STRING_LENGTH16_CHAR8, 0, e->k.data,
		       e->k.length);
	ue_builder_add(b, "blob", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, e->blob.data,
		       e->blob.length);
}

static void build_element(struct ue_builder *b, const struct element *e, int is_first)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "u", e->u);
	ue_builder_f64(b, "d", e->d);
	ue_builder_bool(b, "b", e->b);
	ue_builder_add(b, "at", UE_ENCODING_POINTER, UE_FORMAT_HEX_INT, &e->at, 1);
	ue_builder_add(b, "id", UE_ENCODING_VALUE128, UE_FORMAT_UUID, e->id, 1);
	build_strings(b, e, is_first);
	ue_builder_add(b, "null", UE_ENCODING_BINARY_LENGTH16_CHAR8,
		       UE_FORMAT_UNSIGNED_INT, e->null, e->null ? 4 : 0);
	ue_builder_add(b, "fix", UE_ENCODING_VALUE16 | UE_ENCODING_CARRAY, 0, e->fix, 2);
	ue_builder_add(b, "seq", UE_ENCODING_VALUE32 | UE_ENCODING_VARRAY, 0,
		       e->seq.data, e->seq.length);
	ue_builder_struct_begin(b, "in", 0);
	ue_builder_u16(b, "o", e->o);
	ue_builder_add(b, "p", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, e->p, 2);
	ue_builder_struct_end(b);
}

static void build_elements(struct ue_builder *b)
{
	ue_builder_begin(b, "elements", 0);
	ue_builder_struct_begin(b, "e", UE_ENCODING_VARRAY);
	build_element(b, &elements_given[0], 1);
	build_element(b, &elements_given[1], 0);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "last", 42);
}

/* Arrays in elements of arrays */

struct texts {
	int16_t x;
	struct ue_span t;
};

struct outer {
	uint8_t a;
	struct ue_span v;
	struct texts c[2];
};

static const char *const text_a[] = { "a" };
static const char *const text_bc[] = { "b", "c" };
static const char *const text_none[] = { NULL };
static const struct point three_four[] = { { 3, 4 } };
static const struct outer outers[] = {
	{ 1, { three_four, 1 }, { { 1, { text_a, 1 } }, { 2, { NULL, 0 } } } },
	{ 2, { NULL, 0 }, { { 3, { text_bc, 2 } }, { 4, { text_none, 1 } } } },
};

UE_EVENTHEADER(p5, arrays_in_arrays,
	     UE_STRUCTS(struct outer, o, UE_U8(a),
			UE_STRUCTS(struct point, v, UE_S16(x), UE_S16(y)),
			UE_STRUCT_ARRAY(struct texts, c, 2, UE_S16(x),
					UE_TAGGED(0x102,
						  UE_AS(UE_FORMAT_PID,
							UE_SEQUENCE(UE_STRING(t)))))),
	     UE_U8(last));

static int event_arrays_in_arrays(int fd)
{
	return UE_WRITE(fd, arrays_in_arrays, outers, COUNT(outers), 42);
}

static void build_texts(struct ue_builder *b, const struct texts *texts)
{
	const char *const *text = texts->t.data;
	struct ue_span spans[2];

	for (size_t i = 0; i < texts->t.length; i++)
		spans[i] = (struct ue_span){ text[i], text[i] ? 1 : 0 };
	ue_builder_struct_next(b);
	ue_builder_s16(b, "x", texts->x);
	ue_builder_tag(b, 0x102);
	ue_builder_add(b, "t", UE_ENCODING_ZSTRING_CHAR8 | UE_ENCODING_VARRAY,
		       UE_FORMAT_PID, spans, texts->t.length);
}

static void build_arrays_in_arrays(struct ue_builder *b)
{
	ue_builder_begin(b, "arrays_in_arrays", 0);
	ue_builder_struct_begin(b, "o", UE_ENCODING_VARRAY);
	for (int i = 0; i < 2; i++) {
		ue_builder_struct_next(b);
		ue_builder_u8(b, "a", outers[i].a);
		ue_builder_struct_begin(b, "v", UE_ENCODING_VARRAY);
		if (!outers[i].v.length)
			build_point(b, two_points);
		for (size_t j = 0; j < outers[i].v.length; j++) {
			ue_builder_struct_next(b);
			build_point(b, three_four);
		}
		ue_builder_struct_end(b);
		ue_builder_struct_begin(b, "c", UE_ENCODING_CARRAY);
		build_texts(b, &outers[i].c[0]);
		build_texts(b, &outers[i].c[1]);
		ue_builder_struct_end(b);
	}
	ue_builder_struct_end(b);
	ue_builder_u8(b, "last", 42);
}

/* An array in a struct, structs in its elements. */

UE_EVENTHEADER(p5, array_in_struct,
	     UE_STRUCT(s, UE_U8(a),
			  UE_NAMED("tagged;x=1",
				   UE_TAGGED(0x102,
					     UE_STRUCT_ARRAY(struct point, t, 2,
							     UE_STRUCT(in, UE_S16(x),
									  UE_S16(y))))),
			  UE_STRING(b)),
	     UE_TAGGED(0x102, UE_STRUCTS(struct point, none, UE_STRUCT(in, UE_S16(x)))),
	     UE_U8(last));

static int event_array_in_struct(int fd)
{
	return UE_WRITE(fd, array_in_struct, 1, two_points, "b", NULL, 0, 42);
}

static void build_array_in_struct(struct ue_builder *b)
{
	ue_builder_begin(b, "array_in_struct", 0);
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_tag(b, 0x102);
	ue_builder_struct_begin(b, "tagged;x=1", UE_ENCODING_CARRAY);
	for (int i = 0; i < 2; i++) {
		ue_builder_struct_next(b);
		ue_builder_struct_begin(b, "in", 0);
		build_point(b, &two_points[i]);
		ue_builder_struct_end(b);
	}
	ue_builder_struct_end(b);
	ue_builder_string(b, "b", "b");
	ue_builder_struct_end(b);
	ue_builder_tag(b, 0x102);
	ue_builder_struct_begin(b, "none", UE_ENCODING_VARRAY);
	ue_builder_struct_begin(b, "in", 0);
	ue_builder_s16(b, "x", 9);
	ue_builder_struct_end(b);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "last", 42);
}

const struct write_case struct_cases[] = {
	WRITE_CASE(structs),
	WRITE_CASE(eight_deep),
	WRITE_CASE_WITHOUT_SITE(points),
	WRITE_CASE_WITHOUT_SITE(elements),
	WRITE_CASE_WITHOUT_SITE(arrays_in_arrays),
	WRITE_CASE_WITHOUT_SITE(array_in_struct),
	{ 0 },
};
