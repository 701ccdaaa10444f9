// SPDX-License-Identifier: MIT

// Bench RING prints the cost of events in Go, as rows NAME <tab> nanoseconds, for
// scripts/bench-bindings. The shortest of many short loops counts, as others were interrupted.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"syscall"
	"time"

	ue "example.org/libuserevents/bindings/go"
)

const calls = 2000

func measure(name string, call func()) {
	best := time.Hour
	for loop := 0; loop < 300; loop++ {
		begin := time.Now()
		for i := 0; i < calls; i++ {
			call()
		}
		if took := time.Since(begin); took < best {
			best = took
		}
	}
	fmt.Printf("go_%s\t%.1f\n", name, float64(best.Nanoseconds())/calls)
}

func allocations(name string, call func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := 0; i < 100000; i++ {
		call()
	}
	runtime.ReadMemStats(&after)
	fmt.Printf("go_%s_allocations\t%.2f\n", name, float64(after.Mallocs-before.Mallocs)/100000)
}

func events(session *ue.Session, suffix string) {
	request, err := session.Event("bench_go u32 status; u64 latency_ns; __rel_loc char[] path")
	if err != nil {
		log.Fatal(err)
	}
	orders, err := session.Tracepoint("BenchGo", ue.Information, 1)
	if err != nil || orders.Enabled() != (suffix == "") {
		log.Fatal("is the argument a ring? ", err)
	}
	path := "/index.html"
	classic := func() {
		_ = request.Write(ue.Uint("status", 200), ue.Uint("latency_ns", 1234567), ue.String("path", path))
	}
	eventheader := func() {
		_ = orders.Write("Order", ue.Uint64("order", 17), ue.Float64("total", 99.5), ue.String("path", path))
	}
	measure("classic"+suffix, classic)
	measure("eventheader"+suffix, eventheader)
	if suffix == "" {
		allocations("classic", classic)
		allocations("eventheader", eventheader)
		grown(func(number int) {
			_ = orders.Write("Order", ue.Int("order", number), ue.String("path", fmt.Sprint("/", number)))
		})
	}
}

func peakKiB() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	return int64(used.Maxrss)
}

// grown prints the KiB by which the process grows while it writes so many events of different values.
func grown(write func(number int)) {
	for number := 0; number < 1000000; number++ { // the heap has its size then
		write(number)
	}
	before := peakKiB()
	for number := 0; number < 1000000; number++ {
		write(number)
	}
	fmt.Printf("go_kib_after_1000000_events\t%d\n", peakKiB()-before)
}

func main() {
	none, _ := ue.OpenPath("/nowhere")
	events(none, "_off")
	session, err := ue.OpenPath(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	events(session, "")
}
