/* base::MpscQueue and engine::Parking, one step for each atomic operation of the code: producers hand nodes over to
 * one consumer. The consumer parks, or naps (with ELSEWHERE: or sleeps elsewhere), whenever it finds no node, and ends
 * when it is stopped.
 *
 * Must hold: the consumer gets every node once and in its producer's order, and never sleeps while one is queued. A
 * producer never writes into a node that has been handed out.
 *
 * Planted errors, each of which the verifier has to find:
 *   LOOK_BEFORE_PUSH      the producer checks for a sleeper before its node is visible
 *   NO_RECHECK            the consumer does not check the queue again after its announcement
 *   LATE_ANNOUNCEMENT     the consumer checks, then announces: weaker memory orders would permit this
 *   BLIND_SLEEP           the kernel does not compare before it puts the consumer to sleep
 *   BLIND_SENTINEL        the consumer puts the sentinel back without checking for new nodes
 *   HASTY_POP             the consumer hands the last node out while a producer is about to write into it
 *   SILENT_STOP           the thread that stops the consumer does not wake it
 *   SILENT_WAKE           the thread that wakes the consumer does not end its sleep elsewhere
 *   FORGETFUL_PLACE       elsewhere, a wake-up before the sleep is lost
 */

#if defined(SILENT_WAKE) || defined(FORGETFUL_PLACE)
#define ELSEWHERE
#endif

#define PRODUCERS 2
#ifdef ELSEWHERE /* tests sleep only; the reuse of nodes is checked without it */
#define PUSHES(producer) (2 - producer)
#define ALL_PUSHES 3
#else
#define PUSHES(producer) (3 - producer)
#define ALL_PUSHES 5
#endif
#define NODES (2 * PRODUCERS) /* two for each producer, pushed in turn */
#define NONE 15

mtype = { awake, asleep, asleep_elsewhere };

/* A link has the number of its node; 0 is the sentinel's. */
byte next[NODES + 1];
byte tail = 0;
byte number[NODES + 1]; /* index of the push of its producer */
bool is_queued[NODES + 1];

mtype state = awake;
bool is_sleeping = false; /* in the kernel */
bool is_interrupted = false; /* elsewhere */
bool is_elsewhere = false;
bool is_stopping = false;
bool is_hasty = false;
byte busy_producers = PRODUCERS;
byte received = 0;

inline wake(was) {
  if
  :: state == awake -> skip
  :: else ->
    atomic { was = state; state = awake };
    if
    :: was == asleep -> is_sleeping = false
#ifndef SILENT_WAKE
#ifdef FORGETFUL_PLACE
    :: was == asleep_elsewhere -> is_interrupted = is_elsewhere
#else
    :: was == asleep_elsewhere -> is_interrupted = true
#endif
#endif
    :: else -> skip
    fi
  fi
}

proctype producer(byte me) {
  byte node, link, push = 0;
  mtype was;
  do
  :: push == PUSHES(me) -> break
  :: push < PUSHES(me) ->
    node = 1 + 2 * me + push % 2;
    d_step {
      !is_queued[node]; /* its last job has ended */
      number[node] = push;
      is_queued[node] = true;
      next[node] = NONE
    };
#ifdef LOOK_BEFORE_PUSH
    wake(was);
#endif
    atomic { link = tail; tail = node };
    d_step {
      assert(link == 0 || is_queued[link]);
      next[link] = node
    };
#ifndef LOOK_BEFORE_PUSH
    wake(was);
#endif
    push++
  od;
  busy_producers--
}

proctype stopper() {
  mtype was;
  if
  :: received == ALL_PUSHES /* a consumer that misses a node stays asleep */
  :: is_hasty -> busy_producers == 0 /* nodes in the queue count nevertheless */
  fi;
  is_stopping = true;
#ifndef SILENT_STOP
  wake(was)
#endif
}

byte first = NONE;
byte popped;

inline pop(is_last) {
  popped = first;
  if
  :: popped == NONE ->
    popped = next[0];
    if
    :: popped != NONE -> next[0] = NONE
    :: else -> skip
    fi
  :: else -> skip
  fi;
  if
  :: popped == NONE -> skip
  :: else ->
    first = next[popped];
    if
    :: first != NONE -> skip
    :: else ->
#ifdef BLIND_SENTINEL
      tail = 0;
      is_last = true;
#else
      atomic {
        is_last = (tail == popped);
        if
        :: is_last -> tail = 0
        :: else -> skip
        fi
      };
#endif
      if
      :: is_last -> skip
      :: else ->
        first = next[popped];
#ifndef HASTY_POP
        if
        :: first == NONE -> first = popped; popped = NONE
        :: else -> skip
        fi
#endif
      fi
    fi
  fi
}

inline sleep() {
  atomic {
    if
#ifdef BLIND_SLEEP
    :: true -> is_sleeping = true
#else
    :: state == asleep -> is_sleeping = true
    :: else -> skip
#endif
    fi
  };
  !is_sleeping
}

inline sleep_elsewhere() {
  is_elsewhere = true;
  atomic { is_interrupted -> is_interrupted = false };
  is_elsewhere = false
}

inline park_in() {
  atomic {
    is_off = (state == asleep);
    if
    :: is_off -> state = asleep_elsewhere
    :: else -> skip
    fi
  };
  if
  :: is_off -> sleep_elsewhere()
  :: skip /* it was woken, or ended by itself */
  fi;
  is_off = false;
  state = awake
}

proctype consumer() {
  byte expected[PRODUCERS];
  byte producer_of;
  bool is_last, is_off;
  do
  :: pop(is_last);
    if
    :: popped != NONE ->
      d_step {
        assert(is_queued[popped]);
        producer_of = (popped - 1) / 2;
        assert(number[popped] == expected[producer_of]);
        expected[producer_of]++;
        received++
      };
      is_queued[popped] = false
    :: else ->
      if
      :: tail == 0 && is_stopping -> break
      :: else ->
#ifdef LATE_ANNOUNCEMENT
        if
        :: tail != 0 || is_stopping -> skip
        :: else -> state = asleep; sleep(); state = awake
        fi
#else
        state = asleep;
        if
#ifndef NO_RECHECK
        :: tail != 0 || is_stopping -> state = awake
#endif
        :: else ->
          if
          :: sleep() /* parks */
#ifdef ELSEWHERE
          :: park_in()
#else
          :: state = awake /* a nap that has ended by itself */
#endif
          fi
        fi
#endif
      fi
    fi
  od;
  assert(received == ALL_PUSHES)
}

init {
  byte i = 0;
  atomic {
    do
    :: i <= NODES -> next[i] = NONE; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < PRODUCERS -> run producer(i); i++
    :: else -> break
    od;
    if
    :: is_hasty = true
    :: skip
    fi;
    run stopper();
    run consumer()
  }
}
