// SPDX-License-Identifier: MIT
// writes.cpp RING: the cost of events in C++, as writes.c measures those in C.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <sys/resource.h>

#include <userevents/userevents.hpp>

namespace {

UE_EVENT(bench_cpp, UE_U32(status), UE_U64(latency_ns), UE_STRING_VIEW(path));
UE_PROVIDER(shop, "BenchCpp");
UE_TRACEPOINT(orders, shop, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(orders, order, UE_U64(number), UE_F64(total), UE_STRING_VIEW(path));
UE_ACTIVITY(orders, checkout);

template <typename Call> void measure(const char *name, Call call)
{
	using clock = std::chrono::steady_clock;
	double best = 1e18;

	for (int loop = 0; loop < 300; loop++) {
		const auto begin = clock::now();

		for (int i = 0; i < 2000; i++)
			call();
		const std::chrono::duration<double, std::nano> took = clock::now() - begin;
		best = std::min(best, took.count() / 2000);
	}
	std::printf("cpp_%s\t%.1f\n", name, best);
}

void measure_all(int fd, const char *suffix)
{
	const std::string off = suffix, path = "/index.html";

	measure(("classic" + off).c_str(), [&] { UE_WRITE(fd, bench_cpp, 200, 1234567, path); });
	measure(("eventheader" + off).c_str(), [&] { UE_WRITE(fd, order, 17, 99.5, path); });
	measure(("activity" + off).c_str(),
		[&] { const auto running = UE_START_ACTIVITY(fd, checkout); });
}

long peak_kib()
{
	rusage used{};

	getrusage(RUSAGE_SELF, &used);
	return used.ru_maxrss;
}

// KiB by which the process grows while it writes so many events of different values.
void measure_growth(int fd)
{
	UE_WRITE(fd, order, 0, 99.5, "/0");
	const long before = peak_kib();
	for (int i = 0; i < 1000000; i++)
		UE_WRITE(fd, order, static_cast<unsigned>(i), 99.5, "/" + std::to_string(i));
	std::printf("cpp_kib_after_1000000_events\t%ld\n", peak_kib() - before);
}

} // namespace

int main(int argc, char **argv)
{
	ue_open_opts options{};

	options.path = argc > 1 ? argv[1] : nullptr;
	measure_all(-1, "_off");
	const userevents::session session(options);
	if (session.register_all() < 0 || !UE_ENABLED(bench_cpp)) {
		std::fprintf(stderr, "writes: cannot write events: is the argument a ring?\n");
		return 1;
	}
	measure_all(session.fd(), "");
	measure_growth(session.fd());
}
