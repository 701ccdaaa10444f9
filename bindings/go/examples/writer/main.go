// SPDX-License-Identifier: MIT

// Writer writes events of all kinds; tests/bindings/golang_test.py reads them back.
//
//	userevents run ./writer [WHAT]
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	ue "example.org/libuserevents/bindings/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func done(err error) {
	if err != nil {
		panic(err)
	}
}

func fails(err error, errno syscall.Errno) {
	if !errors.Is(err, errno) || len(err.Error()) < 10 {
		panic(fmt.Sprint(err, " is not ", errno))
	}
}

func main() {
	what := map[string]func(){"": events, "log": logs, "goroutines": goroutines,
		"mistakes": mistakes, "texts": texts, "losses": losses, "none": none, "closed": closed, "context": contexts, "layouts": layouts,
		"allocations": allocations, "children": children, "child": child, "hostile": hostile}
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	what[name]()
}

func events() {
	session := must(ue.Open())
	defer session.Close()
	request := must(session.Event("go_request u32 status; s8 small; __rel_loc char[] path; " +
		"char[4] code; __rel_loc u8[] raw; u8 ok"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	group := must(session.TracepointInGroup("GoShop", "g", ue.Verbose, 0xff))

	if !request.Enabled() || !shop.Enabled() {
		panic("disabled")
	}
	for _, status := range []uint{200, 404} {
		done(request.Write(ue.Bytes("raw", []byte{1, 255}), ue.String("code", "abcd"),
			ue.String("path", "/café"), ue.Uint("status", status), ue.Int("small", -1),
			ue.Bool("ok", true)))
	}
	done(request.Write(ue.Bytes("raw", nil), ue.String("code", ""), ue.String("path", "a\x00b"),
		ue.Int8("small", 2), ue.Uint8("ok", 0), ue.Uint16("status", 1)))
	done(shop.Write("Numbers", ue.Uint8("a", 255), ue.Uint16("b", 65535), ue.Uint32("c", 1<<31),
		ue.Uint64("d", 1<<63), ue.Int8("e", -1), ue.Int16("f", -2), ue.Int32("g", -3),
		ue.Int64("h", -4), ue.Float32("i", 0.5), ue.Float64("j", 0.1), ue.Bool("k", true),
		ue.Hex("l", 255), ue.Errno("m", syscall.ENOENT), ue.Pid("n_", 7),
		ue.Time("o", time.Unix(60, 5)), ue.Port("p", 80), ue.Int("q", -5), ue.Uint("r", 5),
		ue.Duration("s", time.Second)))
	done(shop.Write("Others", ue.String("text", "hé\x00x"), ue.JSON("json", "{}"),
		ue.Bytes("raw", []byte("ab")), ue.Null("none"), ue.String("empty", ""),
		ue.IP("v4", netip.MustParseAddr("127.0.0.1")), ue.IP("v6", netip.IPv6Unspecified()),
		ue.IP("no", netip.Addr{}), ue.UUID("id", [16]byte{15: 1}), ue.String("größe", "")))
	done(shop.Write("Arrays", ue.Array("a", []uint16{1, 65535}), ue.Array("b", []bool{true, false}),
		ue.Array("c", []float64{}), ue.Array("d", []int64{-1}), ue.Array("e", []float32{0.5}),
		ue.Strings("f", []string{"x", ""}), ue.Strings("g", nil)))
	done(shop.Write("Structs", ue.Struct("from", ue.String("city", "Rome"),
		ue.Struct("at", ue.Int32("x", 1))),
		ue.Structs("items", []ue.Field{ue.String("name", "tea"), ue.Uint32("count", 2)},
			[]ue.Field{ue.String("name", "milk"), ue.Uint32("count", 1)}),
		ue.Structs("nothing"), ue.Uint8("last", 1)))
	done(shop.Write("Nothing"))
	done(group.Record("Start").ID(7, 1).Opcode(ue.ActivityStart).Tag(9).
		Activity(ue.Activity{15: 1}).Related(ue.Activity{15: 2}).
		Write(ue.Tagged(5, ue.Uint8("a", 1))))
	if must(ue.NewActivity()) == must(ue.NewActivity()) {
		panic("the same id")
	}
}

func logs() {
	session := must(ue.Open())
	shop := must(session.Tracepoint("GoLog", ue.Warning, 1))
	logger := log.New(ue.NewWriter(shop, "Log"), "shop: ", 0)

	logger.Printf("%d left", 3)
	logger.Print("two\nlines\n")
	logger.Print(strings.Repeat("é", 5000))
	log.New(ue.NewWriter(nil, "Log"), "", 0).Print("nowhere")
}

func goroutines() {
	session := must(ue.Open())
	number := must(session.Event("go_number u32 goroutine; u32 i"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	var all sync.WaitGroup

	for goroutine := uint32(0); goroutine < 8; goroutine++ {
		all.Add(1)
		go func(goroutine uint32) {
			defer all.Done()
			for i := uint32(0); i < 100; i++ {
				done(number.Write(ue.Uint32("goroutine", goroutine), ue.Uint32("i", i)))
				done(shop.Write("Number", ue.Array("all", []uint32{goroutine, i})))
				if i%10 == 0 {
					runtime.GC()
				}
			}
		}(goroutine)
	}
	all.Wait()
}

func mistakes() {
	session := must(ue.Open())
	two := must(session.Event("go_two u8 a; char[2] b"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))

	for _, definition := range []string{"go u33 a", "go\x00 u32 a", "", "go u32 a; u32 a"} {
		event, err := session.Event(definition)
		fails(err, syscall.EINVAL)
		done(event.Write()) // nil
	}
	_, err := session.Event("go u33 a")
	fmt.Println(err)
	for provider, level := range map[string]ue.Level{"a b": 4, "": 4, "P": 0, "a\x00": 4} {
		_, err := session.Tracepoint(provider, level, 0)
		fails(err, syscall.EINVAL)
	}
	fails(two.Write(), syscall.ENODATA)
	fails(two.Write(ue.Uint("c", 1)), syscall.ENOENT)
	fails(two.Write(ue.Uint("a", 1), ue.Uint("a", 1)), syscall.EEXIST)
	fails(two.Write(ue.String("a", "1")), syscall.EINVAL)
	fails(two.Write(ue.Float64("a", 1)), syscall.EINVAL)
	fails(two.Write(ue.Struct("a")), syscall.EINVAL)
	fails(two.Write(ue.Uint("a\x00", 1)), syscall.EINVAL)
	fails(two.Write(ue.Uint("a", 256)), syscall.ERANGE)
	fails(two.Write(ue.String("b", "xyz")), syscall.ERANGE)
	fails(shop.Write("a\x00"), syscall.EINVAL)
	fails(shop.Write("E", ue.Uint8("a\x00", 1)), syscall.EINVAL)
	fails(shop.Write("E", ue.Struct("a\x00", ue.Uint8("a", 1))), syscall.EINVAL)
	fails(shop.Write("E", ue.Struct("a")), syscall.EINVAL)
	fails(shop.Write("E", ue.Structs("a", []ue.Field{ue.Uint8("x", 1)},
		[]ue.Field{ue.Uint8("y", 1)})), syscall.EINVAL)
	fails(shop.Write("E", ue.Struct("a", make([]ue.Field, 128)...)), syscall.EINVAL)
	done(two.Write(ue.Uint("a", 1), ue.String("b", "ab")))
	done(shop.Write("Still"))
}

// texts prints errors of values, which are not explained as errors of a write.
func texts() {
	session := must(ue.Open())
	two := must(session.Event("go_texts u8 a; char[2] b"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))

	many := make([]ue.Field, 128)
	for i := range many {
		many[i] = ue.Uint8("x", 1)
	}
	for _, err := range []error{
		two.Write(ue.Uint("c", 1)),
		two.Write(ue.Uint("a", 1), ue.Uint("a", 1)),
		two.Write(ue.String("a", "1")),
		two.Write(ue.String("b", "xyz")),
		two.Write(),
		shop.Write("a\x00"),
		shop.Write("E", ue.Struct("a", many...)),
	} {
		fmt.Println(err)
	}
}

func losses() {
	session := must(ue.Open())
	text := must(session.Event("go_text __rel_loc char[] a"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))

	for _, size := range []int{10000, 70000} {
		fails(text.Write(ue.String("a", strings.Repeat("x", size))), syscall.EMSGSIZE)
		fails(shop.Write("E", ue.String("a", strings.Repeat("x", size))), syscall.EMSGSIZE)
		fails(shop.Write("E", ue.Array("a", make([]uint64, size))), syscall.EMSGSIZE)
	}
	// More bytes than 32 bits can count; untouched memory takes no room.
	if strconv.IntSize == 64 {
		huge := make([]uint64, 1<<29+1)
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&huge[0])), len(huge)*8)
		raw := must(session.Event("go_raw __rel_loc u8[] a"))

		fails(raw.Write(ue.Bytes("a", bytes)), syscall.EMSGSIZE)
		fails(shop.Write("E", ue.Array("a", huge)), syscall.EMSGSIZE)
		fails(shop.Write("E", ue.Strings("a", make([]string, 70000))), syscall.EMSGSIZE)
	}
	fmt.Println(text.Losses(), shop.Losses(), session.Losses())
}

func none() {
	session, err := ue.OpenPath("/nowhere")
	fails(err, syscall.ENOENT)
	_, err = ue.OpenPath("/dev/null\x00")
	fails(err, syscall.EINVAL)
	_, err = ue.OpenFd(uintptr(math.MaxInt32) + 1)
	fails(err, syscall.EBADF)
	event := must(session.Event("go_none u8 a"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))

	if event.Enabled() || shop.Enabled() {
		panic("enabled")
	}
	done(event.Write(ue.Float64("no such field", 1)))
	done(shop.Write("E", ue.Uint8("a\x00", 1)))
	_, err = session.Event("go u33 a")
	fails(err, syscall.EINVAL)
	done(session.Close())
	major, minor, patch := ue.Version()
	fmt.Println(major, minor >= 1, patch >= 0)
}

func closed() {
	session := must(ue.Open())
	event := must(session.Event("go_closed u8 a"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))

	done(event.Write(ue.Uint("a", 1)))
	done(event.Close())
	done(event.Close())
	done(event.Write(ue.Uint("a", 2)))
	done(shop.Close())
	done(shop.Write("E"))
	for value := uint(3); value < 6; value++ {
		done(must(session.Event("go_closed u8 a")).Write(ue.Uint("a", value)))
		runtime.GC() // finds events without references
		runtime.GC()
	}
	event = must(session.Event("go_closed u8 a"))
	done(session.Close())
	done(session.Close())
	done(event.Write(ue.Uint("a", 7)))
	runtime.KeepAlive(session)
}

func contexts() {
	session := must(ue.Open())
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	ctx := context.Background()

	done(shop.WriteContext(ctx, "Outside"))
	outer, stopOuter := shop.Start(ctx, "Outer", ue.String("user", "ann"))
	inner, stopInner := shop.Start(outer, "Inner")
	done(shop.WriteContext(inner, "Within", ue.Uint8("a", 1)))
	stopInner(ue.Uint8("b", 2))
	done(shop.WriteContext(outer, "Within"))
	stopOuter()
	given := ue.WithActivity(ctx, ue.Activity{15: 7})
	done(shop.WriteContext(given, "Given"))
	if id, has := ue.ActivityOf(given); !has || id[15] != 7 {
		panic("another activity")
	}
	if _, has := ue.ActivityOf(ctx); has {
		panic("an activity")
	}
}

// layouts writes every type of a field of classic events, and values at the ends of their ranges.
func layouts() {
	session := must(ue.Open())
	all := must(session.Event("go_all u8 a; unsigned char b; s8 c; char d; u16 e; unsigned short f; " +
		"s16 g; short h; u32 i; unsigned int j; s32 k; int l; u64 m; s64 n; char[4] o; " +
		"unsigned char[2] p; struct s q 3; __data_loc char[] r; __rel_loc u8[] s;  "))
	write := func(unsigned uint64, signed, char int64, text, bytes string) error {
		bits := func(size uint) uint64 { return unsigned >> (64 - size) }
		sign := func(size uint) int64 { return signed >> (64 - size) }
		return all.Write(ue.Bytes("s", []byte(bytes)), ue.String("r", text), ue.String("o", "xyz"),
			ue.Uint64("a", bits(8)), ue.Uint64("b", bits(8)), ue.Int64("c", sign(8)), ue.Int64("d", char),
			ue.Uint64("e", bits(16)), ue.Uint64("f", bits(16)), ue.Int64("g", sign(16)),
			ue.Int64("h", sign(16)), ue.Uint64("i", bits(32)), ue.Uint64("j", bits(32)),
			ue.Int64("k", sign(32)), ue.Int64("l", sign(32)), ue.Uint64("m", unsigned),
			ue.Int64("n", signed), ue.Bytes("p", []byte{1}), ue.Bytes("q", []byte{1, 2, 3}))
	}
	done(write(0, 0, 0, "", ""))
	done(write(1<<64-1, 1<<63-1, 255, "text", "ab"))
	done(write(1, -1<<63, -128, "a\x00b", "\x00"))
	fails(write(1, 1, 256, "", ""), syscall.ERANGE)
	fails(write(1, 1, -129, "", ""), syscall.ERANGE)
	numbers := must(session.Event("go_numbers u16 a; s16 b"))
	for _, value := range []ue.Field{ue.Uint("b", 1<<15), ue.Int("b", -1<<15-1), ue.Uint("a", 1<<16),
		ue.Int("a", -1)} {
		fails(numbers.Write(value), syscall.ERANGE)
	}
	fails(numbers.Write(ue.Bytes("a", []byte{1})), syscall.EINVAL)
	done(numbers.Write(ue.Bytes("a", []byte{7, 7}), ue.Int("b", -1<<15)))
	deep := ue.Uint8("x", 1)
	for depth := 0; depth < 8; depth++ {
		deep = ue.Struct("in", deep)
	}
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	done(shop.Write("Deep", deep))
	fails(shop.Write("Deep", ue.Struct("in", deep)), syscall.E2BIG)
	fails(shop.Write("E", ue.Structs("a", []ue.Field{ue.Uint8("x", 1)}, nil)), syscall.EINVAL)
	fails(shop.Write("E", ue.Structs("a", []ue.Field{ue.Uint8("x", 1)},
		[]ue.Field{ue.Uint16("x", 1)})), syscall.EINVAL)
	fails(shop.Record("E").Related(ue.Activity{}).Write(), syscall.EINVAL)
}

func writeSome(number *ue.Event, who uint32) {
	for i := uint32(0); i < 100; i++ {
		done(number.Write(ue.Uint32("who", who), ue.Uint32("i", i)))
	}
}

// children starts processes while goroutines write: a process of Go has threads, so it cannot fork
// without an exec, and its children open sessions of their own.
func children() {
	const definition = "go_child u32 who; u32 i"
	session := must(ue.Open())
	number := must(session.Event(definition))
	var all sync.WaitGroup
	for who := uint32(0); who < 4; who++ {
		all.Add(2)
		go func(who uint32) {
			defer all.Done()
			writeSome(number, who)
		}(who)
		go func(who uint32) {
			defer all.Done()
			arguments := []string{os.Args[0], "child", fmt.Sprint(who + 4)}
			pid := must(syscall.ForkExec(os.Args[0], arguments, &syscall.ProcAttr{
				Env: os.Environ(), Files: []uintptr{0, 1, 2}}))
			var status syscall.WaitStatus
			must(syscall.Wait4(pid, &status, 0, nil))
			if status != 0 {
				panic(status)
			}
		}(who)
	}
	all.Wait()
	done(number.Write(ue.Uint32("who", 8), ue.Uint32("i", 0)))
}

func child() {
	session := must(ue.Open())
	defer session.Close()
	who := must(strconv.Atoi(os.Args[2]))
	writeSome(must(session.Event("go_child u32 who; u32 i")), uint32(who))
}

// hostile writes what no field has, and calls everything with nothing: none of it panics.
func hostile() {
	session := must(ue.Open())
	text := must(session.Event("go_hostile u8 a; char[4] b; __rel_loc char[] c"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	itself := make([]ue.Field, 1)
	itself[0] = ue.Struct("in", itself...)

	done(text.Write(ue.Uint("a", 1), ue.String("b", "\xff\x00\xfe"), ue.String("c", "a\x00\xff")))
	done(shop.Write("\xff", ue.String("\xfe", "\xff\x00\xfe"), ue.JSON("j", "{\xff"),
		ue.Time("zero", time.Time{}), ue.Float64("nan", math.NaN()), ue.Float64("inf", math.Inf(-1)),
		ue.Int("least", math.MinInt64), ue.Errno("e", 1<<31), ue.Pid("p", -1)))
	fails(text.Write(ue.Uint("a", math.MaxUint), ue.String("b", ""), ue.String("c", "")), syscall.ERANGE)
	fails(text.Write(ue.Uint("a", 1), ue.String("b", "12345"), ue.String("c", "")), syscall.ERANGE)
	fails(shop.Write("E", itself...), syscall.E2BIG)
	fails(shop.Write("E", ue.Field{}, ue.Tagged(1, ue.Field{})), syscall.EINVAL)
	fails(shop.Write(strings.Repeat("n", 1<<20)), syscall.EMSGSIZE)
	fails(shop.Write("E", ue.Strings("a", []string{strings.Repeat("x", 1<<20)})), syscall.EMSGSIZE)
	fails(shop.Write("E", make([]ue.Field, 1<<20)...), syscall.EINVAL)
	huge := must(session.Event("go_huge struct s a 65535; struct s b 65535"))
	fails(huge.Write(ue.Bytes("a", nil)), syscall.EMSGSIZE)
	nothing(session, text)
	fmt.Println(text.Losses(), shop.Losses(), huge.Losses())
}

// nothing calls what is nil, zero, or closed.
func nothing(session *ue.Session, text *ue.Event) {
	var none *ue.Session
	for _, session := range []*ue.Session{none, {}} {
		event := must(session.Event("go_none u8 a"))
		shop := must(session.Tracepoint("GoShop", ue.Information, 1))
		done(event.Write(ue.Uint("b", 1)))
		done(shop.WriteContext(nil, "E")) //nolint:staticcheck // a nil context is what is tested
		done(session.Close())
		fmt.Print(session.Losses())
	}
	for _, event := range []*ue.Event{nil, {}} {
		done(event.Write(ue.Uint("a", 1)))
		done(event.Close())
		fmt.Print(event.Losses())
	}
	for _, shop := range []*ue.Tracepoint{nil, {}} {
		done(shop.Write("E", ue.Uint("a", 1)))
		done(shop.Record("E").Activity(ue.Activity{}).Write())
		ctx, stop := shop.Start(nil, "E") //nolint:staticcheck
		done(shop.WriteContext(ctx, "E"))
		stop()
		done(shop.Close())
		fmt.Print(shop.Losses())
	}
	done(ue.Record{}.Write())
	must(ue.NewWriter(nil, "a\x00").Write(nil))
	if _, has := ue.ActivityOf(nil); has || ue.WithActivity(nil, ue.Activity{1}) == nil { //nolint:staticcheck
		panic("an activity")
	}
	other := must(ue.Open())
	event := must(other.Event("go_closed u8 a"))
	done(other.Close())
	done(event.Write(ue.Uint("a", 256)))
	fmt.Println(event.Losses(), other.Losses(), len(session.Losses()))
}

// allocations fails if a write of fixed fields and text allocates.
func allocations() {
	session := must(ue.Open())
	request := must(session.Event("go_count u32 status; __rel_loc char[] path"))
	shop := must(session.Tracepoint("GoShop", ue.Information, 1))
	path := strings.Repeat("x", 10)

	for name, write := range map[string]func(){
		"classic": func() { done(request.Write(ue.Uint("status", 200), ue.String("path", path))) },
		"eventheader": func() {
			done(shop.Write("E", ue.Uint64("a", 1), ue.Float64("b", 2), ue.String("path", path)))
		},
		"activity": func() {
			done(shop.Record("E").Activity(ue.Activity{1}).Write(ue.Uint64("a", 1)))
		},
	} {
		if count := testing.AllocsPerRun(1000, write); count != 0 {
			panic(fmt.Sprint(name, " allocates ", count))
		}
	}
}
