/* SPDX-License-Identifier: MIT */
/* Hide macros of a program while a header declares something; few programs have one.
   restore_names.h ends it. Made by tests/compile/names_test.py --write. */

#ifndef UE__NAMES_OF_ALL
#if defined(Container) || defined(Element) || defined(Function) || \
	defined(Pointer) || defined(Start) || defined(String) || \
	defined(Values) || defined(View) || defined(abi) || \
	defined(active) || defined(activity) || defined(activity_id) || \
	defined(after) || defined(alignment) || defined(answer) || \
	defined(array) || defined(at) || defined(bad_alloc) || \
	defined(before) || defined(begin) || defined(begin_) || \
	defined(big_endian) || defined(buffer) || defined(builder) || \
	defined(busy) || defined(byte) || defined(bytes) || \
	defined(call) || defined(callee) || defined(capture) || \
	defined(cgroup) || defined(chrono) || defined(clock) || \
	defined(clock_id) || defined(close) || defined(comm) || \
	defined(common_flags) || defined(common_pid) || defined(common_preempt_count) || \
	defined(common_size) || defined(common_type) || defined(context) || \
	defined(copy) || defined(count) || defined(counts) || \
	defined(cpu) || defined(created) || defined(current) || \
	defined(current_) || defined(cut_off) || defined(data) || \
	defined(data_) || defined(decay_t) || defined(declval) || \
	defined(definition) || defined(depth) || defined(described) || \
	defined(duration) || defined(duration_cast) || defined(element) || \
	defined(element_size) || defined(enable_if_t) || defined(enabled) || \
	defined(encoding) || defined(end) || defined(entry) || \
	defined(error) || defined(event) || defined(event_count) || \
	defined(events) || defined(events_max) || defined(exceptions_) || \
	defined(exchange) || defined(explain) || defined(f32) || \
	defined(f64) || defined(facility) || defined(failed) || \
	defined(fault) || defined(fd) || defined(fd_) || \
	defined(feature) || defined(features) || defined(field) || \
	defined(field_count) || defined(fields) || defined(fields_max) || \
	defined(file) || defined(file_) || defined(file_name) || \
	defined(fixed_size) || defined(flags) || defined(format) || \
	defined(format_string) || defined(format_to_n) || defined(forward) || \
	defined(frames) || defined(frames_asked) || defined(from) || \
	defined(function) || defined(function_) || defined(function_name) || \
	defined(glob) || defined(group) || defined(group_length) || \
	defined(has_reader) || defined(held) || defined(here) || \
	defined(holder) || defined(id) || defined(id_) || \
	defined(index) || defined(info) || defined(iov) || \
	defined(is_array) || defined(is_convertible_v) || defined(is_element) || \
	defined(is_eventheader) || defined(is_failed) || defined(is_first) || \
	defined(is_listed) || defined(is_null_pointer_v) || defined(is_pointer_v) || \
	defined(is_same_v) || defined(is_short) || defined(is_some_) || \
	defined(is_stack_cut) || defined(is_tsc) || defined(is_view) || \
	defined(is_wall_clock) || defined(item) || defined(keyword) || \
	defined(kind) || defined(layout) || defined(length) || \
	defined(level) || defined(library) || defined(line) || \
	defined(line_) || defined(located) || defined(location) || \
	defined(looked) || defined(lost) || defined(magic) || \
	defined(malformed) || defined(mark) || defined(max) || \
	defined(members) || defined(message) || defined(meta) || \
	defined(milliseconds) || defined(mode) || defined(module) || \
	defined(name) || defined(name_length) || defined(name_proper_length) || \
	defined(nanoseconds) || defined(next) || defined(now) || \
	defined(number) || defined(of) || defined(offset) || \
	defined(opcode) || defined(open_error) || defined(opened) || \
	defined(options) || defined(options_length) || defined(opts) || \
	defined(other) || defined(out) || defined(overwritten) || \
	defined(page) || defined(page_bytes) || defined(pages) || \
	defined(pages_used) || defined(parent_) || defined(parts) || \
	defined(pass) || defined(passed) || defined(path) || \
	defined(payload) || defined(payload_max) || defined(pid) || \
	defined(piece) || defined(place) || defined(present) || \
	defined(priority) || defined(process) || defined(processes) || \
	defined(provider) || defined(provider_length) || defined(rate) || \
	defined(reader) || defined(real_time) || defined(reason) || \
	defined(reasons) || defined(record) || defined(register_all) || \
	defined(register_module) || defined(registered) || defined(related) || \
	defined(related_id) || defined(remove_cv_t) || defined(remove_pointer_t) || \
	defined(result) || defined(room) || defined(s16) || \
	defined(s32) || defined(s64) || defined(s8) || \
	defined(sample) || defined(self) || defined(session) || \
	defined(sessions) || defined(set) || defined(severity) || \
	defined(sign) || defined(size) || defined(size_) || \
	defined(small_page_bytes) || defined(small_pages) || defined(small_pages_used) || \
	defined(source) || defined(source_location) || defined(span) || \
	defined(spare) || defined(stack) || defined(start) || \
	defined(status) || defined(status_bit) || defined(std) || \
	defined(steady_clock) || defined(steps) || defined(steps_max) || \
	defined(stop) || defined(stop_) || defined(stop_function) || \
	defined(string) || defined(string_view) || defined(system) || \
	defined(system_length) || defined(tag) || defined(text) || \
	defined(thread) || defined(thread_count) || defined(threads) || \
	defined(tid) || defined(time) || defined(time_point) || \
	defined(to) || defined(tracepoint) || defined(tracepoint_length) || \
	defined(type) || defined(type_length) || defined(u16) || \
	defined(u16string_view) || defined(u32) || defined(u32string_view) || \
	defined(u64) || defined(u8) || defined(uncaught_exceptions) || \
	defined(unit) || defined(units) || defined(unlocked) || \
	defined(unread) || defined(userevents) || defined(users) || \
	defined(value) || defined(values) || defined(version) || \
	defined(view) || defined(view_) || defined(which) || \
	defined(word) || defined(write_log) || defined(write_text) || \
	defined(writer)
#define UE__NAMES_ARE_HIDDEN
#include <userevents/abi/hidden_names.h>
#endif
#endif
