// SPDX-License-Identifier: MIT
// format.hpp, where std::format() is. Prints TAP.
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include <userevents/capture.h>
#include <userevents/format.hpp>

#ifndef UE_FORMAT
#error "there is no std::format()"
#endif

namespace shop {
UE_EVENT(note, UE_STRING(text));
UE_PROVIDER(provider, "Shop");
UE_LOGGER(log, shop::provider, 2);
}

namespace {

ue_capture *capture;
int number, failures;

void check(bool is_right, const char *what)
{
	failures += !is_right;
	std::printf("%s %d - %s\n", is_right ? "ok" : "not ok", ++number, what);
}

void next_is(const char *what, std::string_view expected)
{
	const char *line = ue_capture_line(capture);

	check(line == expected, what);
	if (line != expected)
		std::printf("# got: %s\n", line);
}

struct unwilling {
	bool has_memory;
};

} // namespace

template <> struct std::formatter<unwilling> : std::formatter<int> {
	template <typename Context>
	typename Context::iterator format(const unwilling &value, Context &context) const
	{
		if (!value.has_memory)
			throw std::bad_alloc();
		if (value.has_memory)
			throw 5;
		return context.out();
	}
};

namespace {

void texts(int fd)
{
	const std::string customer = "ann";

	check(!UE_FORMAT(fd, shop::note, "order {} of {:>5}: {:.2f}", 17, customer, 2.5), "written");
	next_is("values", "user_events:note text=\"order 17 of   ann: 2.50\"");
	UE_FORMAT(fd, shop::note, "none");
	next_is("no values", "user_events:note text=\"none\"");
	UE_FORMAT(fd, shop::note, "{}", std::string(UE_PRINTF_MAX - 1, 'x'));
	next_is("the longest", "user_events:note text=\"" + std::string(UE_PRINTF_MAX - 1, 'x') + "\"");
	UE_FORMAT(fd, shop::note, "{}", std::string(UE_PRINTF_MAX, 'x'));
	next_is("a longer one is truncated",
		"user_events:note text=\"" + std::string(UE_PRINTF_MAX - 4, 'x') + "...\"");
	UE_FORMAT(fd, shop::note, "a{}b", '\0');
	next_is("a NUL ends it", "user_events:note text=\"a\"");
	UE_SYSLOG_FORMAT(fd, shop::log, 3 | 1 << 3, "cannot open {}", "x");
	next_is("a message", "Shop:Log message=\"cannot open x\" severity=3 facility=1");
}

void failures_are_counted(int fd)
{
	check(UE_FORMAT(fd, shop::note, "{}", unwilling{ true }) == -EINVAL, "a formatter throws");
	check(UE_SYSLOG_FORMAT(fd, shop::log, 3, "{}", unwilling{ false }) == -ENOMEM, "... for lack of memory");
	check(ue_session_losses(fd, UE_LOSS_OTHER) == 2, "both are counted");
}

void only_enabled_values_are_evaluated(int fd)
{
	int evaluated = 0;

	ue_capture_disable(capture, "*");
	UE_FORMAT(fd, shop::note, "{}", ++evaluated);
	UE_SYSLOG_FORMAT(fd, shop::log, 3, "{}", ++evaluated);
	check(evaluated == 0, "values of a disabled event are not evaluated");
	next_is("it is not written", "");
}

} // namespace

int main()
{
	ue_open_opts options{};

	if (ue_capture_open(nullptr, &capture))
		return 1;
	options.flags = UE_OPEN_FD;
	options.fd = ue_capture_writer_fd(capture);
	{
		userevents::session session(options);

		session.register_all();
		texts(session.fd());
		failures_are_counted(session.fd());
		only_enabled_values_are_evaluated(session.fd());
	}
	ue_capture_close(capture);
	std::printf("1..%d\n", number);
	return failures != 0;
}
