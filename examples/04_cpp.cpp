// SPDX-License-Identifier: MIT
//
// c++ 04_cpp.cpp $(pkg-config --cflags --libs libuserevents) -o cpp
//
// The same macros in C++17: in a namespace, a class, an inline function, a
// template and a lambda.
#include <iostream>
#include <string>
#include <vector>

#include <userevents/userevents.h>

namespace shop {

UE_EVENT(order, UE_STRING(item), UE_U32(count), UE_BOOL(paid));
UE_EVENT(stocked, UE_COUNTED_STRING(item), UE_U64(left));

class session {
public:
	session() : fd_(ue_open(nullptr)) {}
	~session() { ue_close(fd_); }
	session(const session &) = delete;
	session &operator=(const session &) = delete;

	int fd() const { return fd_; }
	int start() const { return fd_ < 0 ? fd_ : ue_register_all(fd_); }

private:
	int fd_;
};

inline int sell(const session &s, const std::string &item, unsigned count)
{
	return UE_WRITE(s.fd(), order, item.c_str(), count, true);
}

template <typename Container> int stock(const session &s, const Container &items)
{
	int errors = 0;

	for (const auto &item : items)
		errors |= UE_WRITE(s.fd(), stocked, item.data(), item.size(), 7);
	return errors;
}

} // namespace shop

int main()
{
	shop::session session;

	if (int error = session.start()) {
		std::cerr << "cpp: " << ue_explain(UE_CALL_OPEN, error) << ".\n";
		return 1;
	}
	auto both = [&] {
		return shop::sell(session, "tea", 2) |
		       shop::stock(session, std::vector<std::string>{"tea", "milk"});
	};
	return both() ? 1 : 0;
}
