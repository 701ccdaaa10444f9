// SPDX-License-Identifier: MIT
// Call sites with the fields of userevents.hpp that disabled_path.sh disassembles.
#include <string>
#include <vector>

#include <userevents/userevents.hpp>

namespace shop {
UE_EVENT(view, UE_STRING_VIEW(a), UE_U32(b));
UE_PROVIDER(provider, "Provider");
UE_TRACEPOINT(tracepoint, shop::provider, UE_LEVEL_INFORMATION, 0x1f);
UE_EVENTHEADER(tracepoint, spans, UE_STRING_VIEW(a), UE_SPAN(UE_U32(b)), UE_F64(c));
}

// As in disabled_path.c: the difference to -DWITHOUT is what the macro adds.
#ifdef WITHOUT
#undef UE_WRITE
#undef UE_WRITE_EVENTHEADER
#define UE_WRITE(...) (void)0
#define UE_WRITE_EVENTHEADER(...) (void)0
#endif

extern "C" {
int before(void);
int after(int fd, const void *a, uint32_t b);
void site_view(int fd, const std::string &a, uint32_t b);
void site_spans(int fd, const std::string &a, const std::vector<uint32_t> &b);
void site_made(int fd, const char *a, uint32_t b);
void site_session(const userevents::session &session, const std::string &a, uint32_t b);
void site_view_in_place(int fd, const std::string &a, uint32_t b);
}

void site_view(int fd, const std::string &a, uint32_t b)
{
	before();
	UE_WRITE(fd, shop::view, a, b);
	after(fd, &a, b);
}

void site_spans(int fd, const std::string &a, const std::vector<uint32_t> &b)
{
	before();
	UE_WRITE(fd, shop::spans, a, b, 0.5);
	after(fd, &a, b[0]);
}

void site_made(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, shop::view, std::string(a) + "made", b);
	after(fd, a, b);
}

void site_session(const userevents::session &session, const std::string &a, uint32_t b)
{
	before();
	UE_WRITE(session.fd(), shop::view, a, b);
	after(session.fd(), &a, b);
}

void site_view_in_place(int fd, const std::string &a, uint32_t b)
{
	before();
	UE_WRITE_EVENTHEADER(fd, shop::tracepoint, "Placed", UE_STRING_VIEW(a, a), UE_U32(b, b));
	after(fd, &a, b);
}
