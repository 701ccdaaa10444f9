/* SPDX-License-Identifier: MIT */
/*
 * cc 07_eventheader.c $(pkg-config --cflags --libs libuserevents) -pthread -o shop
 *
 * EventHeader events, which describe themselves: two levels of one provider, an activity
 * that one thread starts and another thread continues, fields without a kernel type, and
 * an event that is built at run time.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>

#include <userevents/builder.h>
#include <userevents/userevents.h>

#define KEYWORD_ORDERS 0x1
#define KEYWORD_PARTS 0x2

struct item {
	const char *name;
	uint32_t count;
};

UE_PROVIDER(shop, "MyCompany_Shop");

/* Tools enable these as MyCompany_Shop_L4K1 and MyCompany_Shop_L5K2. */
UE_TRACEPOINT(orders, shop, UE_LEVEL_INFORMATION, KEYWORD_ORDERS);
UE_TRACEPOINT(parts, shop, UE_LEVEL_VERBOSE, KEYWORD_PARTS);

UE_EVENTHEADER_WITH(orders, checkout_started, "CheckoutStarted",
		  UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_U64(order));
UE_EVENTHEADER_WITH(orders, checkout_stopped, "CheckoutStopped",
		  UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_U64(order), UE_F64(total));
UE_EVENTHEADER_WITH(orders, payment_started, "PaymentStarted",
		  UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_STRING(method));
UE_EVENTHEADER_WITH(orders, payment_stopped, "PaymentStopped",
		  UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_ERRNO(error));

UE_EVENTHEADER(parts, basket,
	     UE_UUID(customer),
	     UE_STRUCT(from, UE_IPV4(address), UE_PORT(port)),
	     UE_STRUCTS(struct item, items, UE_STRING(name), UE_U32(count)),
	     UE_SEQUENCE(UE_S16(discounts)),
	     UE_NULLABLE(UE_U32(voucher)),
	     UE_NAMED("größe", UE_AS(UE_FORMAT_HEX_INT, UE_U8(size))));

static int session;

/* The other thread does part of the work, in an activity related to the first. */
static void *pay(void *checkout)
{
	struct ue_activity payment;

	if (ue_activity_create(&payment))
		return NULL;
	UE_WRITE_ACTIVITY(session, &payment, checkout, payment_started, "card");
	UE_WRITE_ACTIVITY(session, &payment, NULL, payment_stopped, 0);
	return NULL;
}

static void check_out(uint64_t order)
{
	static const struct item items[] = { { "tea", 2 }, { "milk", 1 } };
	static const int16_t discounts[] = { -5, -10 };
	static const uint8_t customer[16] = { 0x12, 0x34 };
	struct ue_activity checkout;
	pthread_t payer;

	/* An id costs a system call: make one only if the tracepoint is enabled. */
	if (!UE_ENABLED(orders) || ue_activity_create(&checkout))
		return;
	UE_WRITE_ACTIVITY(session, &checkout, NULL, checkout_started, order);
	UE_WRITE(session, basket, customer, htonl(INADDR_LOOPBACK), htons(80), items, 2,
		 discounts, 2, NULL, 7);
	if (!pthread_create(&payer, NULL, pay, &checkout))
		pthread_join(payer, NULL);
	UE_WRITE_EVENTHEADER_WITH(session, orders, 0, &checkout, NULL, "OrderPacked", UE_U64(order, order),
		    UE_STRING(packer, "Anna"));
	UE_WRITE_ACTIVITY(session, &checkout, NULL, checkout_stopped, order, 99.5);
}

/* The fields of this event are known only at run time. */
static void report(const char *const *names, const uint64_t *values, int count)
{
	struct ue_builder *builder = ue_builder_new();
	int error;

	if (!UE_ENABLED(orders))
		return;
	ue_builder_begin(builder, "Report", 0);
	ue_builder_struct_begin(builder, "sold", 0);
	for (int i = 0; i < count; i++)
		ue_builder_u64(builder, names[i], values[i]);
	ue_builder_struct_end(builder);
	error = ue_builder_write(builder, session, UE_TRACEPOINT_OF(orders), NULL, NULL);
	if (error)
		fprintf(stderr, "The report was not written: %s.\n",
			ue_explain(UE_CALL_WRITE, error));
	ue_builder_free(builder);
}

int main(void)
{
	static const char *const names[] = { "tea", "milk" };
	static const uint64_t sold[] = { 2, 1 };

	session = ue_open(NULL);
	ue_register_all(session);
	check_out(17);
	report(names, sold, 2);
	ue_close(session);
	return 0;
}
