/* SPDX-License-Identifier: MIT */
/*
 * A model of the protocol of lib/ring (layout.h), for spin. check-model runs it.
 *
 * Two processes write: the first has two threads (or a thread and a signal handler, which
 * is the same with fewer orders), the second one. They share the current page of their
 * process, as if there were one processor. A page has two records of two units: the head,
 * and the bytes, which look like a head to a reader that takes them for one. Every load and
 * store of shared memory is a step of its own, and so is every compare-and-swap.
 *
 * Anybody may close a page whose records are all done, and use it again: the reader one that it
 * has read, and a writer that overwrites. The latter clears the first half of the page; who
 * needs the other half claims it and clears it, before he reserves a record there.
 *
 * A process may be killed before any step, and a thread be stopped for ever. A young record
 * is one that was stamped after the pass began.
 *
 * spin executes the steps in one order for all processes. So the model says nothing about
 * fences: they are argued for where they stand.
 *
 *	DROP, WAIT, OVERWRITE	the mode
 *	KILL		the first process may die
 *	STOP		a thread of it may be stopped
 *	READER_DIES	the reader may die, and another one begins
 *	SHORT		pages are short, so the reader closes each that it has read
 *	MARKS		writers look for free pages by the marks of groups (page.c)
 *	LOOK_SINGLY	... and at one page after the other before they set a mark
 *
 * The other names, at the end of check-model, weaken the protocol, for spin to find out.
 */
#ifndef PAGES
#define PAGES 2
#endif
/* Events of the two threads of the first process, and of the second process. */
#ifndef FIRST
#define FIRST 1
#endif
#ifndef SECOND
#define SECOND 1
#endif
#ifndef OTHER
#define OTHER 1
#endif
/* Pages that have a mark in common. */
#ifndef GROUP
#define GROUP 2
#endif
#define UNITS 4
#define THREADS 3
#define EVENTS (FIRST + SECOND + OTHER + 1) /* the other writes one more at the end */
#define LAST (THREADS - 1)

#define BUSY 1
#define DONE 2
#define BYTES 16 /* + event */

#define NOBODY 0
#define READER 3 /* as an owner: UE__RING_FREEING */

/* The ring. State and word consist of several variables, but change in one step. */
byte state_number[PAGES], state_owner[PAGES];
byte word_number[PAGES], word_used[PAGES];
bit word_closed[PAGES], word_clearing[PAGES];
byte done[PAGES]; /* units */
byte gone[PAGES], gone_of[PAGES]; /* events overwritten; the last page that was counted */
byte header[PAGES];
byte unit[PAGES * UNITS];
bit young[PAGES * UNITS];
#ifdef MARKS
bit is_full[PAGES]; /* marks of groups of which no page is free */
#endif
byte opened, freed;

/* The state of each process. */
byte current_number[READER], current_index[READER], full_at[READER];
#ifdef OVERWRITE
byte current_room[READER]; /* units that may be reserved */
#endif
bit odd[READER];

/* The world. */
bit dead[READER], halted[THREADS], reader_dead;
byte writing = THREADS; /* threads that still write */
byte blocked;
bit survivor_waits, settled, finished;

/* The proof. */
bit committed[EVENTS];
byte times_read[EVENTS];

#define WRITER_OF(event) ((event) < FIRST + SECOND -> 1 : 2)
#define AT(index, at) ((index) * UNITS + (at))

#ifdef OVERWRITE
#define FINDS_PAGE(p) (full_at[p] != seen_freed + 1 || !odd[p])
#else
#define FINDS_PAGE(p) (full_at[p] != seen_freed + 1)
#endif

#ifdef NO_NUMBER
#define IS_MINE(index, wanted) (word_number[index] != 0)
#else
#define IS_MINE(index, wanted) (wanted != 0 && word_number[index] == wanted)
#endif

#ifdef OVERWRITE
#define ROOM before_room
#else
#define ROOM UNITS
#endif

#ifdef CLEAR_UNHELD
#define IS_HELD(index) 0
#else
#define IS_HELD(index) word_clearing[index]
#endif

/* Every store into a page: it must belong to the writer still, under the same number. */
#define OWNED assert(state_number[index] == number && state_owner[index] == process)

inline tell_writers()
{
	atomic { freed++; blocked = 0 }
}

/* Sets value if a page of the group is free. */
inline look_for_free(group)
{
#ifndef LOOK_SINGLY
	atomic {
#endif
	count = group * GROUP;
	do
	:: count < PAGES && count / GROUP == group ->
		atomic {
			if
			:: state_owner[count] == NOBODY -> value = 1; break
			:: else -> count++
			fi
		}
	:: else -> break
	od;
	count = 0
#ifndef LOOK_SINGLY
	}
#endif
}

/* A page of the group was taken, or none is free. */
inline note_taken(group)
{
	look_for_free(group);
	if
	:: value
	:: !value ->
		is_full[group] = 1;
#ifndef MARK_ONCE
		look_for_free(group);
		if
		:: value ->
			is_full[group] = 0;
#ifdef UNMARK_QUIETLY
			skip
#else
			tell_writers()
#endif
		:: else
		fi
#endif
	fi;
	value = 0
}

inline close_page(which, wanted)
{
	atomic {
		if
		:: wanted != 0 && word_number[which] == wanted && !word_closed[which] ->
			word_closed[which] = 1
		:: else
		fi
	}
}

proctype writer(byte thread, process, event, end)
{
	byte before_number, before_index, seen_freed;
	byte number, index, at, i, value, count, found_number, found_owner, tries;
	byte found_word;
	bit is_waiting, is_closed, is_held;
#ifdef OVERWRITE
	byte before_room;
#endif
#ifdef MARKS
	bit is_passed, is_whole;
#endif

{
	do
	:: event == end && thread == LAST && end != EVENTS ->
		atomic { /* everyone else is done, dead, or stopped: this one must go on */
			survivor_waits = 1;
#ifdef OVERWRITE
			writing == 1;
#else
			writing == 1 && settled;
#endif
			event = EVENTS - 1;
			end = EVENTS
		}
	:: event == end && (thread != LAST || end == EVENTS) -> break
	:: event < end ->
slow:
		atomic {
			before_number = current_number[process];
			before_index = current_index[process];
			index = before_index;
#ifdef OVERWRITE
			before_room = current_room[process];
#endif
			number = before_number
		}
		seen_freed = freed;
reserve: /* a failed compare-and-swap goes on with what it found, so this is a step */
		atomic {
			if
			:: IS_MINE(before_index, before_number) && !word_closed[before_index] &&
			   !word_clearing[before_index] && word_used[before_index] + 2 <= ROOM ->
				at = word_used[before_index];
				word_used[before_index] = at + 2;
				goto reserved
			:: else
			fi
		}
#ifdef OVERWRITE
		atomic { /* claim */
			if
			:: IS_MINE(before_index, before_number) && !word_closed[before_index] &&
			   !word_clearing[before_index] && ROOM < UNITS &&
			   word_used[before_index] + 2 <= UNITS ->
				word_clearing[before_index] = 1;
				at = word_used[before_index];
				i = at
#ifdef CLEAR_LATE
				;
				word_used[before_index] = at + 2
#endif
			:: else -> goto close
			fi
		}
		do
		:: i < UNITS -> OWNED; unit[AT(index, i)] = 0; i++
		:: else -> break
		od;
		atomic { /* reserve, unless it was closed meanwhile */
			OWNED;
			i = 0;
			word_clearing[index] = 0;
			if
			:: word_closed[index] -> goto close
			:: else -> word_used[index] = at + 2
			fi
		}
		atomic {
			if
			:: current_number[process] == number -> current_room[process] = UNITS
			:: else
			fi;
			goto reserved
		}
close:
#endif
		close_page(before_index, before_number);
		if
		:: atomic { FINDS_PAGE(process) -> skip }
		:: else -> goto none
		fi;
		atomic {
			opened++;
			number = opened;
			assert(opened < 250);
#ifdef OVERWRITE
			before_room = UNITS;
#endif
			i = 0
		}
#ifndef OVERWRITE
		do
		:: i == PAGES -> goto none
		:: i < PAGES ->
			index = (number + i) % PAGES;
#ifdef MARKS
			atomic {
				if
				:: i == 0 || index % GROUP == 0 ->
					is_passed = is_full[index / GROUP];
					is_whole = index % GROUP == 0 && i + GROUP <= PAGES
				:: else
				fi;
				if
				:: is_passed -> goto next
				:: else
				fi
			}
#endif
			atomic { /* a compare-and-swap */
				if
				:: state_owner[index] == NOBODY ->
					state_number[index] = number;
					state_owner[index] = process;
					goto found
				:: else
				fi
			}
#ifdef MARKS
			if
			:: is_whole && index % GROUP == GROUP - 1 -> note_taken(index / GROUP)
			:: else
			fi;
#endif
next:
			i++
		od;
found:
#ifdef MARKS
		note_taken(index / GROUP);
		atomic { is_passed = 0; is_whole = 0; i = 0 }
#else
		i = 0;
#endif
#else
		do
		:: i == PAGES -> goto none
		:: i < PAGES ->
			atomic {
				index = (number + i) % PAGES;
				found_number = state_number[index];
				found_owner = state_owner[index]
			}
			if
			:: found_owner == NOBODY ->
				atomic {
					if
					:: state_owner[index] == NOBODY ->
						state_number[index] = number;
						state_owner[index] = process;
						goto taken
					:: else
					fi
				}
			:: else ->
				atomic {
					found_word = word_number[index];
					value = word_used[index];
					is_held = IS_HELD(index);
					is_closed = word_closed[index]
				}
				if
#ifdef OVERWRITE_HOLES
				:: found_word == found_number ->
#else
				:: found_word == found_number && done[index] == value && !is_held ->
#endif
					atomic { /* a compare-and-swap, unless it is closed */
						if
						:: is_closed -> goto take
						:: !is_closed && word_number[index] == found_word &&
						   IS_HELD(index) == is_held && word_used[index] == value ->
							word_closed[index] = 1;
							goto take
						:: else -> goto next
						fi
					}
				:: else
				fi;
				if
				:: (number - found_number >= PAGES || full_at[process]) &&
				   dead[found_owner] -> skip
				:: else -> goto next
				fi;
take:
				atomic {
					if
					:: state_number[index] == found_number &&
					   state_owner[index] == found_owner ->
						state_number[index] = number;
						state_owner[index] = process
					:: else -> goto next
					fi
				}
				/* Nobody else changes the word. */
				atomic {
					OWNED;
					count = 0;
					at = 0;
					do
					:: at < word_used[index] ->
						count = count + (unit[AT(index, at)] == DONE);
						at = at + 2
					:: else -> break
					od;
					if
					:: word_number[index] != 0 && gone_of[index] != word_number[index] ->
#ifdef COUNT_OWN
						if
						:: word_number[index] == found_number ->
							gone[index] = gone[index] + count
						:: else
						fi;
#else
						gone[index] = gone[index] + count;
#endif
						gone_of[index] = word_number[index]
					:: else
					fi;
					count = 0
				}
				at = 0;
				before_room = 2;
				do
				:: at < before_room ->
					OWNED;
					unit[AT(index, at)] = 0;
					at++
				:: else -> break
				od;
				goto taken
			fi;
next:
			i++
		od;
taken:
#endif
		atomic { OWNED; header[index] = process }
		atomic {
			OWNED;
			i = 0;
			do
			:: i < ROOM -> assert(unit[AT(index, i)] == 0); i++
			:: else -> break
			od;
			done[index] = 0;
			word_clearing[index] = 0;
			word_number[index] = number;
			word_closed[index] = 0;
			word_used[index] = 2;
			at = 0
		}
		atomic {
			if
			:: current_number[process] == before_number ->
				current_number[process] = number;
				current_index[process] = index;
#ifdef OVERWRITE
				current_room[process] = ROOM;
#endif
				i = 0
			:: else -> i = 1
			fi
		}
		if
		:: i -> close_page(index, number)
		:: else
		fi;
		full_at[process] = 0;
reserved:
		atomic { OWNED; unit[AT(index, at)] = BUSY }
		atomic {
			OWNED;
			unit[AT(index, at + 1)] = BYTES + event;
			young[AT(index, at)] = 1
		}
		atomic {
			OWNED;
			unit[AT(index, at)] = DONE;
			committed[event] = 1
		}
		atomic {
			OWNED;
			done[index] = done[index] + 2;
			event++;
			index = 0; number = 0; at = 0; i = 0; found_number = 0; found_owner = 0;
			value = 0; count = 0; tries = 0; found_word = 0; is_closed = 0;
			is_held = 0
		}
		goto again;
none:
#ifdef WAIT
		atomic {
			if
			:: freed == seen_freed -> blocked++; is_waiting = 1
			:: else -> goto slow
			fi
		}
		atomic { freed != seen_freed -> is_waiting = 0; goto slow }
#else
		full_at[process] = seen_freed + 1;
		atomic {
			odd[process] = !odd[process];
			tries++;
			i = 0;
			if
			:: event == EVENTS - 1 -> assert(tries < 4) /* this one must go on */
			:: else -> event++; tries = 0
			fi
		}
#endif
again:
		skip
	od
}
#if defined(KILL) || defined(STOP)
	unless { atomic { dead[process] || halted[thread] -> skip } }
#endif
	atomic {
		if
		:: is_waiting && freed == seen_freed -> blocked--
		:: else
		fi;
		writing--
	}
}

/* Reading */

#define BIT(at) (1 << ((at) / 2))

inline forget(which, wanted)
{
	handed_out[which] = 0;
	seen_number[which] = wanted;
	seen_at[which] = 0;
	waiting[which] = 0;
	ahead[which] = 0
}

inline free_page()
{
#ifdef UNMARK_EARLY
	is_full[index / GROUP] = 0;
#endif
#ifndef WIPE_FIRST
	atomic { state_number[index] = 0; state_owner[index] = READER }
#endif
	atomic {
		word_number[index] = 0;
		word_closed[index] = 0;
		word_used[index] = 0;
		done[index] = 0
	}
	at = 0;
	do
	:: at < UNITS -> unit[AT(index, at)] = 0; at++
	:: else -> break
	od;
	atomic {
		forget(index, 0);
		state_number[index] = 0;
		state_owner[index] = NOBODY;
		at = 0
	}
#if defined(MARKS) && !defined(UNMARK_EARLY)
	is_full[index / GROUP] = 0;
#endif
	tell_writers()
}

/* The bytes are copied, then the state is compared. */
inline hand_out()
{
	at = 0;
	do
	:: at < UNITS && (waiting[index] & BIT(at)) ->
		value = unit[AT(index, at + 1)];
		count = header[index];
		atomic {
			if
			:: state_number[index] == seen_number[index] ->
				assert(value >= BYTES && value < BYTES + EVENTS);
				value = value - BYTES;
				assert(committed[value]);
				assert(count == WRITER_OF(value));
				times_read[value]++;
#ifndef READER_DIES
				assert(times_read[value] == 1);
#endif
				handed_out[index]++
			:: else ->
#ifdef COUNT_ALL
				handed_out[index]++
#else
				skip
#endif
			fi;
			waiting[index] = waiting[index] & ~BIT(at);
			value = 0;
			count = 0;
			at = at + 2
		}
	:: at < UNITS && !(waiting[index] & BIT(at)) -> at = at + 2
	:: at >= UNITS -> break
	od;
	at = 0
}

/* Sets is_young. */
inline collect_page()
{
	atomic { is_behind = 0; is_young = 0; at = seen_at[index] }
	do
	:: at >= used -> break
	:: at < used ->
		head = unit[AT(index, at)];
		if
		:: head == 0 ->
			atomic { is_behind = 1; stop = at }
			do
			:: atomic { stop < used && unit[AT(index, stop)] == 0 -> stop++ }
			:: else -> break
			od;
#ifndef NO_SECOND_LOOK
second_look:
			again = at;
			do
			:: atomic { again < stop && unit[AT(index, again)] == 0 -> again++ }
			:: else -> break
			od;
			if
			:: atomic { again != stop -> stop = again; goto second_look }
			:: else
			fi;
#endif
			atomic { at = stop; stop = 0; again = 0 }
		:: head == BUSY -> atomic { is_behind = 1; at = at + 2 }
		:: head == DONE ->
			atomic {
				if
				:: young[AT(index, at)] && !(ahead[index] & BIT(at)) ->
					is_young = 1;
					is_behind = 1
				:: !young[AT(index, at)] && !(ahead[index] & BIT(at)) ->
					waiting[index] = waiting[index] | BIT(at);
					if
					:: is_behind -> ahead[index] = ahead[index] | BIT(at)
					:: else
					fi
				:: else
				fi;
				at = at + 2;
				if
				:: !is_behind -> seen_at[index] = at
				:: else
				fi
			}
		:: head >= BYTES ->
			/* Bytes were taken for a head. If the page was overwritten meanwhile, it is
			 * not handed out. */
			assert(state_number[index] != seen_number[index]);
			atomic { at = used; seen_at[index] = used }
		fi
	od;
	atomic { at = 0; head = 0; is_behind = 0 }
}

#ifdef OVERWRITE
#define IS_CONSUMER 0
#else
#define IS_CONSUMER 1
#endif
#ifdef FREE_HOLES
#define IS_READ(which) (waiting[which] == 0)
#elif defined(FREE_UNCOUNTED)
#define IS_READ(which) (waiting[which] == 0 && seen_at[which] >= used)
#else
#define IS_READ(which) (waiting[which] == 0 && seen_at[which] >= used && done[which] == used)
#endif

/*
 * Free a page that was read: one that is closed; while pages are short, also an open one, by a
 * compare-and-swap of its word.
 */
inline free_if_read()
{
	if
	:: found == seen_number[index] && IS_READ(index) ->
		atomic {
			if
			:: is_closed -> must_free = 1
#ifdef GIVE_BACK_ANY
			:: !is_closed && word_number[index] == found ->
#else
			:: !is_closed && word_number[index] == found && word_used[index] == used ->
#endif
				if
#ifndef KEEP_IDLE
				:: blocked -> word_closed[index] = 1; must_free = 1
#endif
#ifdef SHORT
				:: !blocked -> word_closed[index] = 1; must_free = 1
#endif
				:: else
				fi
			:: else
			fi
		}
		if
		:: must_free -> atomic { must_free = 0; is_freed = 1 } free_page()
		:: else
		fi
	:: else
	fi
}

/* What was overwritten in a page since the last visit, less what the reader had of it. */
inline count_missed()
{
	atomic { value = gone[index]; head = gone_of[index] }
	at = state_number[index];
	atomic { used = word_used[index]; found = word_number[index] }
	again = 0;
	if
	:: at != found && found != 0 && head != found ->
		atomic { /* the bytes stay until they are counted */
			stop = 0;
			do
			:: stop < used ->
				again = again + (unit[AT(index, stop)] == DONE);
				stop = stop + 2
			:: else -> break
			od;
			stop = 0
		}
	:: else
	fi;
	atomic {
		if
		:: gone[index] == value && gone_of[index] == head -> value = value + again
		:: else -> value = gone[index]
		fi;
		again = 0; head = 0; at = 0; used = 0; found = 0
	}
	atomic {
		if
		:: state_number[index] == number && state_owner[index] == owner ->
			count = value - seen_gone[index];
			if
			:: count > handed_out[index] -> missed = missed + count - handed_out[index]
			:: else
			fi;
			seen_gone[index] = value;
			forget(index, number);
			is_changing = 0
		:: else -> is_changing = 1
		fi;
		/* Never too many. */
		count = 0;
		value = 0;
		do
		:: value < EVENTS ->
			count = count + committed[value] - times_read[value];
			value++
		:: else -> break
		od;
#ifndef READER_DIES
		assert(missed <= count);
#endif
		value = 0;
		count = 0
	}
}

inline load_word()
{
	atomic {
		used = word_used[index];
		is_closed = word_closed[index];
		found = word_number[index]
	}
}

inline bury()
{
#ifdef BURY_EARLY
	load_word();
#endif
	if
	:: dead[owner] ->
#ifndef BURY_EARLY
		load_word();
#endif
		if
		:: found != number -> free_page()
		:: else ->
			/* Closed: nobody else writes to it. */
			collect_page();
			if
#ifdef BURY_YOUNG
			:: waiting[index] == 0 -> free_page()
#else
			:: waiting[index] == 0 && !is_young -> free_page()
#endif
			:: else
			fi
		fi
	:: else
	fi
}

proctype reader()
{
	byte seen_number[PAGES], seen_at[PAGES];
	byte waiting[PAGES], ahead[PAGES]; /* a bit for each record */
	byte missed, handed_out[PAGES], seen_gone[PAGES];
	byte settling;
	byte index, number, owner, found, used, at, stop, again, head, value, count;
	bit is_closed, is_behind, is_young, must_free, is_freed, is_changing;
	byte idle;

{
	do
	:: atomic { finished && settling >= 3 -> break }
	:: else ->
		d_step { /* the pass begins: what is stamped from now on is young */
			index = 0;
			do
			:: index < PAGES * UNITS -> young[index] = 0; index++
			:: else -> break
			od;
			index = 0;
			idle = (blocked && blocked == writing -> idle + 1 : 0);
			if
			:: writing == 0 && settling < 3 -> finished = 1; settling++
			:: writing == 1 && survivor_waits && !settled ->
				settling++;
				if
				:: settling == 3 -> settled = 1; settling = 0
				:: else
				fi
			:: else
			fi
		}
		/* A writer that waits while nothing else happens waits for ever. */
		assert(idle < 4);
		do
		:: index == PAGES -> break
		:: index < PAGES ->
			atomic { number = state_number[index]; owner = state_owner[index] }
			if
			:: owner == NOBODY ->
#if defined(MARKS) && !defined(KEEP_MARKS)
				/* Whoever set the mark died before he looked again. */
				if
				:: is_full[index / GROUP] -> is_full[index / GROUP] = 0; tell_writers()
				:: else
				fi
#else
				skip
#endif
			:: owner == READER -> free_page(); idle = 0
			:: else ->
				is_changing = 0;
				if
				:: seen_number[index] != number -> count_missed()
				:: else
				fi;
				load_word();
				if
				:: !is_changing && found == number -> collect_page()
				:: else
				fi;
#ifndef OVERWRITE
				is_freed = 0;
				free_if_read();
				if
				:: is_freed -> is_freed = 0; idle = 0
				:: !is_freed && waiting[index] == 0 -> bury()
				:: else
				fi
#endif
			fi;
			index++
		od;
		index = 0;
		do
		:: index == PAGES -> break
		:: index < PAGES ->
			if
			:: waiting[index] ->
				idle = 0;
				hand_out();
#ifndef OVERWRITE
				load_word();
				free_if_read()
#endif
			:: else
			fi;
			index++
		od;
		atomic { index = 0; number = 0; owner = 0; found = 0; used = 0; is_closed = 0;
			 is_young = 0; is_freed = 0; is_changing = 0 }
	od;
	/* Nothing more happens: everything that was committed was read. */
	atomic {
		index = 0;
		count = 0;
		value = 0;
		do
		:: index < EVENTS ->
#ifndef OVERWRITE
			assert(!committed[index] || times_read[index] >= 1);
#endif
			assert(committed[index] || times_read[index] == 0);
			count = count + committed[index];
			value = value + times_read[index];
			index++
		:: else -> break
		od;
#ifdef MARKS
		/* Whoever needs a page finds each that is free. */
		index = 0;
		do
		:: index < PAGES ->
			assert(state_owner[index] != NOBODY || !is_full[index / GROUP]);
			index++
		:: else -> break
		od;
#endif
#ifdef OVERWRITE
		/* Read and missed, whoever died while it counted. */
		assert(value + missed == count)
#endif
	}
}
#ifdef READER_DIES
	unless { atomic { reader_dead -> skip } }
	atomic {
		if
		:: reader_dead ->
			reader_dead = 0;
#ifndef BEGIN_QUIETLY
			tell_writers(); /* the dead one may have freed a page */
#endif
			run reader()
		:: else
		fi
	}
#endif
}

/* One fate of each kind at most, at any time. */
#ifdef KILL
active proctype killer()
{
	if
	:: dead[1] = 1
	:: skip
	fi
}
#endif
#ifdef STOP
active proctype stopper()
{
	if
	:: halted[0] = 1
	:: skip
	fi
}
#endif
#ifdef READER_DIES
active proctype reader_killer()
{
	if
	:: !finished -> reader_dead = 1
	:: skip
	fi
}
#endif

init {
	atomic {
		run writer(0, 1, 0, FIRST);
		run writer(1, 1, FIRST, FIRST + SECOND);
		run writer(LAST, 2, FIRST + SECOND, EVENTS - 1);
		run reader()
	}
}
