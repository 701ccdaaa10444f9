/* SPDX-License-Identifier: MIT */
/* EXPECT: the event crowd has more than 64 fields */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
#define MORE
#else
#define MORE , UE_U8(f65)
#endif

#define EVENT(...) UE_EVENTHEADER(info, __VA_ARGS__)

EVENT(crowd, UE_U8(f1), UE_U8(f2), UE_U8(f3), UE_U8(f4), UE_U8(f5), UE_U8(f6),
      UE_U8(f7), UE_U8(f8), UE_U8(f9), UE_U8(f10), UE_U8(f11), UE_U8(f12),
      UE_U8(f13), UE_U8(f14), UE_U8(f15), UE_U8(f16), UE_U8(f17), UE_U8(f18),
      UE_U8(f19), UE_U8(f20), UE_U8(f21), UE_U8(f22), UE_U8(f23), UE_U8(f24),
      UE_U8(f25), UE_U8(f26), UE_U8(f27), UE_U8(f28), UE_U8(f29), UE_U8(f30),
      UE_U8(f31), UE_U8(f32), UE_U8(f33), UE_U8(f34), UE_U8(f35), UE_U8(f36),
      UE_U8(f37), UE_U8(f38), UE_U8(f39), UE_U8(f40), UE_U8(f41), UE_U8(f42),
      UE_U8(f43), UE_U8(f44), UE_U8(f45), UE_U8(f46), UE_U8(f47), UE_U8(f48),
      UE_U8(f49), UE_U8(f50), UE_U8(f51), UE_U8(f52), UE_U8(f53), UE_U8(f54),
      UE_U8(f55), UE_U8(f56), UE_U8(f57), UE_U8(f58), UE_U8(f59), UE_U8(f60),
      UE_U8(f61), UE_U8(f62), UE_U8(f63), UE_U8(f64) MORE);
