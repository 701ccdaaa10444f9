// SPDX-License-Identifier: MIT
//
// c++ 04_cpp.cpp $(pkg-config --cflags --libs libuserevents) -o cpp
//
// C++17: strings as values, events in a namespace, in an inline function, a template and a
// lambda, and a session that closes itself.
#include <iostream>
#include <string>
#include <vector>

#include <userevents/userevents.hpp>

namespace shop {

UE_EVENT(order, UE_STRING_VIEW(item), UE_U32(count), UE_BOOL(paid));
UE_EVENT(stocked, UE_STRING_VIEW(item), UE_U64(left));

inline int sell(const userevents::session &s, std::string_view item, unsigned count)
{
	return UE_WRITE(s.fd(), order, item, count, true);
}

template <typename Container>
int stock(const userevents::session &s, const Container &items)
{
	int errors = 0;

	for (const auto &item : items)
		errors |= UE_WRITE(s.fd(), stocked, item, 7);
	return errors;
}

} // namespace shop

int main()
{
	userevents::session session;
	int error = session.register_all();

	if (!session)
		std::cerr << "cpp: " << session.explain() << ".\n";
	else if (error)
		std::cerr << "cpp: " << ue_explain(UE_CALL_REGISTER, error) << ".\n";
	if (error)
		return 1;
	auto both = [&] {
		return shop::sell(session, "tea", 2) |
		       shop::stock(session, std::vector<std::string>{"tea", "milk"});
	};
	return both() ? 1 : 0;
}
