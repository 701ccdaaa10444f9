// SPDX-License-Identifier: MIT
// userevents.hpp: writes events of C++ values, of threads and forks, and reads them back. Prints TAP.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <userevents/capture.h>
#include <userevents/logger.h>
#include <userevents/userevents.hpp>

namespace shop {
UE_EVENT(order, UE_STRING_VIEW(item), UE_U32(count), UE_BLOB_VIEW(code));
UE_PROVIDER(provider, "Shop");
UE_LOGGER(log, shop::provider, 2);
UE_TRACEPOINT(work, shop::provider, UE_LEVEL_INFORMATION, 4);
UE_ACTIVITY(work, checkout, UE_STRING_VIEW(user), UE_U32(items));
UE_ACTIVITY(work, payment);
UE_EVENTHEADER(work, charged, UE_U32(total));
namespace inner {
UE_TRACEPOINT(information, shop::provider, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER(information, packed, UE_SPAN(UE_U16(sizes)), UE_SPAN(UE_F64(weights)),
	       UE_STRING16_VIEW(wide), UE_STRING32_VIEW(wider),
	       UE_STRUCT(from, UE_STRING_VIEW(city), UE_BLOB_VIEW(key)),
	       UE_AS(UE_FORMAT_STRING_JSON, UE_STRING_VIEW(note)));
UE_EVENTHEADER(information, flags, UE_SPAN(UE_BOOL(are_set)), UE_SPAN(UE_POINTER(places)));
}
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

ue_open_opts options_of_capture()
{
	ue_open_opts options{};

	options.flags = UE_OPEN_FD;
	options.fd = ue_capture_writer_fd(capture);
	return options;
}

std::string made(const char *text)
{
	return std::string(text) + " that no small string holds, so it is on the heap";
}

void classic_events(const userevents::session &session)
{
	const std::vector<unsigned char> code{ 1, 255 };
	const std::array<std::byte, 2> bytes{ std::byte{ 2 }, std::byte{ 3 } };
	const std::string item = "green tea";
	const char *const absent = nullptr;

	check(!UE_WRITE(session.fd(), shop::order, item, 2, code), "written");
	next_is("a std::string and a std::vector",
		"user_events:order item=\"green tea\" count=2 code=\"01 ff\"");
	UE_WRITE(session.fd(), shop::order, std::string_view(item).substr(6), 3, bytes);
	next_is("a part of a string, and std::byte",
		"user_events:order item=\"tea\" count=3 code=\"02 03\"");
	UE_WRITE(session.fd(), ::shop::order, "", 0, userevents::bytes());
	next_is("nothing", "user_events:order item=\"\" count=0 code=\"\"");
	UE_WRITE(session.fd(), shop::order, std::string_view(), 0, std::string("ab"));
	next_is("an empty view without data",
		"user_events:order item=\"\" count=0 code=\"61 62\"");
	UE_WRITE(session.fd(), shop::order, absent, 0, "");
	next_is("a null pointer as text", "user_events:order item=\"\" count=0 code=\"00\"");
	UE_WRITE(session.fd(), shop::order, nullptr, 0, "");
	next_is("... as it is", "user_events:order item=\"\" count=0 code=\"00\"");
	UE_WRITE(session.fd(), shop::order, { "teapot", 3 }, 0, "");
	next_is("a pointer and a length", "user_events:order item=\"tea\" count=0 code=\"00\"");
	UE_WRITE(session.fd(), shop::order, made("tea"), 1, made("x").substr(0, 1));
	next_is("temporary strings", "user_events:order item=\"tea that no small string holds, "
				     "so it is on the heap\" count=1 code=\"78\"");
}

void eventheader_events(const userevents::session &session)
{
	const std::vector<std::uint16_t> sizes{ 1, 65535 };
	const double weights[] = { 0.5 };
	const bool are_set[] = { true, false };
	const std::vector<const void *> places{ nullptr };

	UE_WRITE(session.fd(), shop::inner::packed, sizes, weights, u"h\u00e9", U"\U0001f600", "Rome",
		 std::string_view("k"), "{}");
	next_is("spans of containers and arrays",
		"Shop:packed sizes=[1 65535] weights=[0.5] wide=\"h\u00e9\" wider=\"\U0001f600\" "
		"from={city=\"Rome\" key=\"6b\"} note=\"{}\"");
#if __cplusplus >= 202002L
	UE_WRITE(session.fd(), shop::inner::packed, std::span(sizes).last(1), std::span(weights),
		 u"", U"", "", std::as_bytes(std::span(sizes).first(1)), "");
	next_is("std::span", "Shop:packed sizes=[65535] weights=[0.5] wide=\"\" wider=\"\" "
			     "from={city=\"\" key=\"01 00\"} note=\"\"");
#endif
	UE_WRITE(session.fd(), shop::inner::flags, are_set, places);
	next_is("booleans and pointers", "Shop:flags are_set=[true false] places=[0x0]");
	UE_WRITE_EVENTHEADER(session.fd(), shop::inner::information, "Lost",
			     UE_STRING_VIEW(item, made("tea")), UE_SPAN(UE_U16(sizes, sizes)),
			     UE_SPAN(UE_S32(made, (std::vector<std::int32_t>{ -1, 5 }))),
			     UE_BLOB_VIEW(key, std::string("k")));
	next_is("defined in place, with temporary objects",
		"Shop:Lost item=\"tea that no small string holds, so it is on the heap\" "
		"sizes=[1 65535] made=[-1 5] key=\"6b\"");
	UE_WRITE_EVENTHEADER(session.fd(), shop::inner::information, "Lost",
			     UE_STRING(item, made("green").c_str()),
			     UE_STRING_VIEW(part, std::string_view(made("tea")).substr(1)),
			     UE_BLOB(key, made("k").data(), 1));
	next_is("temporary objects inside of the values",
		"Shop:Lost item=\"green that no small string holds, so it is on the heap\" "
		"part=\"ea that no small string holds, so it is on the heap\" key=\"6b\"");
	int count = 0;
	const auto next = [&] { return ++count; };
	const auto key = [&] { count = 2; return "abc"; };

	UE_WRITE_EVENTHEADER(session.fd(), shop::inner::information, "Lost", UE_S32(a, next()),
			     UE_S32(b, next()), UE_BLOB(c, key(), static_cast<size_t>(count)),
			     UE_S32(d, next()));
	next_is("values in order", "Shop:Lost a=1 b=2 c=\"61 62\" d=3");
	UE_SYSLOG(session.fd(), shop::log, 3, "%s", "a message");
	next_is("a qualified logger", "Shop:Log message=\"a message\" severity=3 facility=0");
}

// The activity and the related one of the next event, as bytes.
std::array<std::string, 2> next_ids()
{
	ue_captured event{};
	std::array<std::string, 2> ids;

	if (ue_capture_next(capture, &event) < 1)
		return ids;
	const char *bytes = static_cast<const char *>(event.bytes);
	std::uint16_t size = 0, kind = 0; // of what follows the header of 8 bytes
	std::memcpy(&size, bytes + 8, sizeof(size));
	std::memcpy(&kind, bytes + 10, sizeof(kind));
	if ((kind & 0x7fff) == 2)
		ids = { std::string(bytes + 12, 16), std::string(bytes + 28, size - 16u) };
	return ids;
}

std::string bytes_of(const ue_activity *id)
{
	std::string bytes(16, 0);

	std::memcpy(bytes.data(), id->id, bytes.size());
	return bytes;
}

unsigned here; // a line

void pay(const userevents::session &session)
{
	const auto paying = UE_START_ACTIVITY(session.fd(), shop::payment); here = __LINE__;

	UE_WRITE_WITHIN(session.fd(), shop::charged, 5);
	throw std::runtime_error("no money");
}

void activities_are_of_blocks(const userevents::session &session)
{
	std::string outer;

	check(!userevents::activity::current(), "there is no activity at first");
	UE_WRITE_WITHIN(session.fd(), shop::charged, 1);
	check(next_ids()[0].empty(), "an event outside of any");
	{
		const auto running = UE_START_ACTIVITY(session.fd(), shop::checkout, made("ann"), 2);

		outer = bytes_of(running.id());
		check(userevents::activity::current() == running.id(), "that of the block is current");
		check(next_ids() == std::array<std::string, 2>{ outer, "" }, "its start has its id");
		try {
			pay(session);
		} catch (const std::runtime_error &) {
		}
		const auto start = next_ids();
		check(start[0] != outer && start[1] == outer, "the inner one is related to it");
		check(next_ids()[0] == start[0], "an event belongs to the inner one");
		check(next_ids()[0] == start[0], "... and its stop, when an exception leaves it");
		check(userevents::activity::current() == running.id(), "the outer one is current again");
		UE_WRITE_WITHIN(session.fd(), shop::charged, 3);
		check(next_ids()[0] == outer, "... of later events");
		std::thread([&] {
			check(!userevents::activity::current(), "another thread begins without");
			const userevents::activity continued(*running.id());
			UE_WRITE_WITHIN(session.fd(), shop::charged, 4);
		}).join();
		check(next_ids()[0] == outer, "... and may continue it");
	}
	check(next_ids()[0] == outer && !userevents::activity::current(), "its end stops it");
	next_is("nothing else is written", "");
}

void activities_have_fields_and_a_place(const userevents::session &session)
{
	try {
		pay(session);
	} catch (const std::runtime_error &) {
	}
	const std::string line = "\" line=" + std::to_string(here) + " function=\"";
	const std::string start = ue_capture_line(capture);
	check(start.find("Shop:payment file=\"") == 0 && start.find("cpp.cpp" + line) != start.npos &&
		      start.find("pay") != start.npos,
	      "a start has the place of the source");
	ue_capture_line(capture);
	const std::string stop = ue_capture_line(capture);
	check(stop.find("Shop:payment duration_ns=") == 0 &&
		      stop.find(" is_failed=true") != stop.npos,
	      "a stop has a duration, and whether it failed");
	{
		const auto running = UE_START_ACTIVITY(session.fd(), shop::checkout, "ann", 2);
	}
	const std::string named = ue_capture_line(capture);
	check(named.find("Shop:checkout user=\"ann\" items=2 file=\"") == 0, "... and its fields");
	const std::string ended = ue_capture_line(capture);
	check(ended.find(" is_failed=false") != ended.npos, "a block that returns does not fail");
}

void disabled_activities_are_none(const userevents::session &session)
{
	int evaluated = 0;
	const auto user = [&] {
		evaluated++;
		return std::string("ann");
	};

	ue_capture_disable(capture, "*");
	const userevents::activity outer(ue_activity{ { 1 } });
	{
		const auto running = UE_START_ACTIVITY(session.fd(), shop::checkout, user(), 2);

		check(!running.id() && userevents::activity::current() == outer.id(),
		      "an activity of a disabled tracepoint is none");
	}
	ue_capture_enable(capture, "*");
	check(evaluated == 0, "its values are not evaluated");
	next_is("it writes nothing", "");
}

constexpr unsigned events_of_each = 25;

void write_some(const userevents::session &session, const char *who)
{
	for (unsigned i = 0; i < events_of_each; i++)
		UE_WRITE(session.fd(), shop::order, std::string(who), i, "");
}

// The next events, sorted.
std::vector<std::string> next_lines()
{
	std::vector<std::string> lines;

	for (std::string line; !(line = ue_capture_line(capture)).empty();)
		lines.push_back(line);
	std::sort(lines.begin(), lines.end());
	return lines;
}

std::vector<std::string> lines_of(const std::vector<std::string> &writers)
{
	std::vector<std::string> lines;

	for (const std::string &who : writers)
		for (unsigned i = 0; i < events_of_each; i++)
			lines.push_back("user_events:order item=\"" + who + "\" count=" +
					std::to_string(i) + " code=\"00\"");
	std::sort(lines.begin(), lines.end());
	return lines;
}

void threads_write_at_the_same_time(const userevents::session &session)
{
	std::vector<std::thread> threads;

	for (const char *who : { "a", "b", "c", "d" })
		threads.emplace_back([&session, who] { write_some(session, who); });
	for (std::thread &thread : threads)
		thread.join();
	check(next_lines() == lines_of({ "a", "b", "c", "d" }), "threads write at the same time");
}

// The second child begins while a value of an event is made, which both processes then write.
void children_of_a_fork_write(const userevents::session &session)
{
	const auto fork_in_the_middle = [] { return std::string(fork() ? "parent" : "child"); };
	int status = 0;
	pid_t child = fork();

	write_some(session, child ? "parent" : "child");
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	check(!status && next_lines() == lines_of({ "child", "parent" }),
	      "a child of a fork writes, as its parent does");
	child = getpid();
	UE_WRITE(session.fd(), shop::order, fork_in_the_middle(), 1, "");
	if (child != getpid())
		_exit(0);
	wait(&status);
	check(!status && next_lines() == std::vector<std::string>{
		      "user_events:order item=\"child\" count=1 code=\"00\"",
		      "user_events:order item=\"parent\" count=1 code=\"00\"" },
	      "... also one that begins in the middle of a write");
}

void an_activity_may_outlive_its_session()
{
	userevents::session session(options_of_capture());

	session.register_all();
	const auto running = UE_START_ACTIVITY(session.fd(), shop::payment);
	check(running.id(), "an activity starts");
	session.close();
	ue_capture_line(capture);
}

void only_enabled_values_are_evaluated(const userevents::session &session)
{
	int evaluated = 0;
	const auto item = [&] {
		evaluated++;
		return std::string("tea");
	};

	ue_capture_disable(capture, "*");
	UE_WRITE(session.fd(), shop::order, item(), 1, item());
	ue_capture_enable(capture, "*");
	check(evaluated == 0, "values of a disabled event are not evaluated");
	next_is("it is not written", "");
}

int functions_called;

void count_it(const ue_event &, int error)
{
	functions_called += error == -EBADF;
}

void failures_are_reported()
{
	userevents::session session(options_of_capture());
	int constants = 0, temporaries = 0, others = 0;
	const auto constant = [&](const ue_event &, int) { constants++; };
	auto changing = [&, calls = 0](const ue_event &, int) mutable { others = ++calls; };

	ue_close(session.fd()); // so that nothing can be registered
	check(session.register_all(constant) == -EBADF, "events that failed are reported");
	session.register_all(count_it);
	session.register_all(&count_it);
	session.register_all(changing);
	session.register_all([&](const ue_event &, int) { temporaries++; });
	check(constants > 1 && functions_called == 2 * constants && others == constants &&
		      temporaries == constants, "to objects, constant or not, and to functions");
}

void sessions()
{
	ue_open_opts nowhere{};
	std::string failed;

	nowhere.path = "/nowhere/at/all";
	userevents::session none(nowhere);
	check(!none && none.error() == -ENOENT && none.fd() < 0, "a session that is not there");
	check(std::strlen(none.explain()) > 10, "says why");
	check(none.register_all() == -ENOENT && none.register_module() == -ENOENT,
	      "registers nothing");
	check(UE_WRITE(none.fd(), shop::order, "", 0, "") == 0, "writes nothing");

	userevents::session first(options_of_capture());
	check(first && !first.error(), "a session opens");
	check(!first.register_all([&](const ue_event &event, int) { failed += event.definition; }) &&
		      failed.empty(), "registers its events");
	const int fd = first.fd();
	userevents::session second(std::move(first));
	check(second.fd() == fd && first.fd() == -EBADF, "moves");
	none = std::move(second);
	check(none.fd() == fd && !second, "is assigned");
	check(!none.close() && none.fd() == -EBADF && !none.close(), "closes once");
	{
		userevents::session inner(options_of_capture());
		inner.register_module();
		check(UE_ENABLED(shop::order), "an event is enabled");
	}
	check(!UE_ENABLED(shop::order), "the end of its block closes a session");
}

} // namespace

int main()
{
	if (ue_capture_open(nullptr, &capture))
		return 1;
	sessions();
	failures_are_reported();
	{
		userevents::session session(options_of_capture());

		session.register_all();
		classic_events(session);
		eventheader_events(session);
		activities_are_of_blocks(session);
		activities_have_fields_and_a_place(session);
		disabled_activities_are_none(session);
		only_enabled_values_are_evaluated(session);
		threads_write_at_the_same_time(session);
		children_of_a_fork_write(session);
	}
	an_activity_may_outlive_its_session();
	next_is("... and its stop is not written then", "");
	ue_capture_close(capture);
	std::printf("1..%d\n", number);
	return failures != 0;
}
